//! A program with this source in it starts where there is no unixODBC.

#[test]
fn nothing_links_to_the_driver_manager() {
    // Every test of this program uses the source, so that whatever it links to is linked here.
    let program = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    let needed = dynamic_libraries(&program);
    assert!(needed.iter().any(|name| name.starts_with("libc.so")), "{needed:?}");
    assert!(!needed.iter().any(|name| name.contains("odbc")), "{needed:?}");
}

/// The libraries that an ELF file of 64 bits needs.
fn dynamic_libraries(file: &[u8]) -> Vec<String> {
    let number = |at: usize, size: usize| {
        file[at..at + size].iter().rev().fold(0, |value: usize, byte| value << 8 | usize::from(*byte))
    };
    let (table, size, count) = (number(0x28, 8), number(0x3a, 2), number(0x3c, 2));
    let sections: Vec<usize> = (0..count).map(|index| table + index * size).collect();
    // SHT_DYNAMIC, whose names stand in the section that it links to.
    let dynamic = sections.iter().find(|section| number(**section + 4, 4) == 6).unwrap();
    let names = number(sections[number(dynamic + 0x28, 4)] + 0x18, 8);
    let (start, length) = (number(dynamic + 0x18, 8), number(dynamic + 0x20, 8));
    let entries = (0..length / 16).map(|index| start + index * 16);
    entries
        // DT_NEEDED.
        .filter(|entry| number(*entry, 8) == 1)
        .map(|entry| {
            let name = &file[names + number(entry + 8, 8)..];
            let end = name.iter().position(|byte| *byte == 0).unwrap();
            String::from_utf8_lossy(&name[..end]).into_owned()
        })
        .collect()
}
