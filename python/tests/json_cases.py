"""Cases of JSON lines: texts that are read as Python's own module reads them, and texts that are refused."""

from __future__ import annotations

from typing import NamedTuple


class Refused(NamedTuple):
    """A text, what its error says, and what its hint says."""

    text: str | bytes
    words: str
    way: str = ""


READ: dict[str, str] = {
    "one record": '{"a": 1}',
    "every kind": '{"n": null, "t": true, "f": false, "i": 1, "d": 1.5, "s": "x", "o": {"k": 1}, "l": [1, 2]}\n',
    "crlf": '{"a": 1}\r\n{"a": 2}\r\n',
    "blank lines": '\n\n{"a": 1}\n  \n\t\r\n{"a": 2}\n\n',
    "spaces": ' { "a" : [ 1 , 2 ] , "b" : { } } \n\t{\t"b":{"c":\t"x"\t}\t}\t\n',
    "keys in another order": (
        '{"a": 1, "b": 2, "c": 3}\n{"c": 30, "a": 10, "b": 20}\n{"b": 200}\n{}\n{"c": 3000, "b": 2000}\n'
    ),
    "late keys": '{"a": 1}\n{"b": "x"}\n{"c": [true]}\n',
    "integers": '{"a": 0}\n{"a": -0}\n{"a": 9223372036854775807}\n{"a": -9223372036854775808}\n',
    "floats": (
        '{"a": 0.0}\n{"a": -0.0}\n{"a": 1e308}\n{"a": 1.7976931348623157e308}\n'
        '{"a": 5e-324}\n{"a": 2.2250738585072014E-308}\n'
        '{"a": 0.1}\n{"a": 0.30000000000000004}\n{"a": 1E+2}\n{"a": 1e-7}\n{"a": 123456789012345680000.0}\n'
    ),
    "floats with 17 digits": '{"a": 0.10000000000000001}\n{"a": 1.0000000000000000}\n{"a": 3.1415926535897931}\n',
    "integers among floats": '{"a": 1}\n{"a": 2.5}\n{"a": 9007199254740992}\n{"a": -3}\n{"a": null}\n',
    "integers among floats of items": '{"a": [1, 2.5, null]}\n{"a": []}\n{"a": null}\n',
    "escapes": r'{"a": "\" \\ \/ \b \f \n \r \t é 😀 \u0000"}' + "\n" + '{"a": "\u007f \u2028 é 😀"}\n',
    "escapes in keys": r'{"\u0061": 1, "b\"\\\n": 2, "": 3, "😀": 4}' + "\n",
    "texts like other things": (
        '{"a": "1"}\n{"a": "null"}\n{"a": "2024-01-01T00:00:00Z"}\n{"a": ""}\n{"a": "{}"}\n{"a": "NaN"}\n'
    ),
    "nothing but null": '{"a": null}\n{"a": null, "b": 1}\n',
    "empty objects and arrays": (
        '{"a": {}, "b": [], "c": [[]], "d": [{}], "e": 1}\n{"a": {"x": 1}, "d": [{"y": 1}, {}]}\n'
    ),
    "lists of lists": '{"a": [[1], [], [2, null], null]}\n{"a": [[3]]}\n',
    "structs in lists in structs": (
        '{"a": {"b": [{"c": {"d": [1.5]}}, {"c": null}, null]}}\n{"a": null}\n'
        '{"a": {"b": [{"e": "x"}]}}\n{"a": {"f": false}}\n'
    ),
    "names that differ in case": '{"a": 1, "A": "x"}\n',
    "many columns": "{" + ", ".join(f'"k{i}": {i}' for i in range(1_000)) + '}\n{"k7": 0}\n',
    "deep": '{"a": ' + '{"b": ' * 40 + "1" + "}" * 40 + "}\n",
    "a long line": '{"a": "' + "x" * 3_000_000 + '", "b": 1}\n{"a": "y"}\n',
    "a github event": (
        '{"id":"2489651045","type":"CreateEvent","actor":{"id":665991,"login":"petroav","gravatar_id":""},'
        '"payload":{"ref":"master","ref_type":"branch","commits":[{"sha":"36","distinct":true,"author":{"name":"A"}}]},'
        '"public":true,"created_at":"2015-01-01T15:00:00Z"}\n'
        '{"id":"2489651051","type":"PushEvent","actor":{"id":3854017,"login":"rspt","gravatar_id":""},'
        '"payload":{"push_id":536863970,"size":1,"commits":[]},"public":true,"created_at":"2015-01-01T15:00:01Z",'
        '"org":{"id":9,"login":"o"}}\n'
    ),
}

REFUSED: dict[str, Refused] = {
    "two kinds": Refused('{"a": 1}\n{"a": "x"}\n', r'"a" holds a number in line 1 of .* and text in line 2 of', "utf8"),
    "two kinds of items": Refused('{"a": [1, "x"]}\n', r'"a\[\]" holds a number in line 1', "utf8"),
    "2^63": Refused('{"a": 9223372036854775808}\n', "line 1 of .* holds 9223372036854775808", "uint64"),
    "2^64": Refused('{"a": 1}\n\n{"a": 18446744073709551616}', "line 3 of .* holds 18446744073709551616", "decimal128"),
    "1e400": Refused('{"a": 1e400}\n', "line 1 of .* holds 1e400", "utf8"),
    "more digits than a double": Refused('{"a": 0.12345678901234567891}\n', "holds 0.1234567890", "float64"),
    "a key twice": Refused('{"a": 1}\n{"b": 1, "a": 2, "b": 1}\n', 'line 2 of .* has the key "b" twice'),
    "a key twice within": Refused('{"a": {"b": 1, "\\u0062": 2}}\n', 'key "b" twice in one object, in column "a"'),
    "latin 1": Refused(b'{"a": 1}\n{"b": "\xe9"}\n', r'line 2 of .* is not UTF-8 .*0xe9.*column "b"', "iconv"),
    "half a pair": Refused('{"a": "\\ud83d"}\n', "half of a surrogate pair"),
    "nan": Refused('{"a": NaN}\n', 'line 1 of .* "NaN"', "null"),
    "infinity": Refused('{"a": 1.5}\n{"a": -Infinity}\n', 'line 2 of .* "-Infinity"', "null"),
    "a comma too many": Refused('{"a": 1,}\n', "line 1 of .* is no JSON"),
    "single quotes": Refused("{'a': 1}\n", "line 1 of .* is no JSON"),
    "zeros in front": Refused('{"a": 007}\n', "line 1 of .* is no number"),
    "a raw tab": Refused('{"a": "x\ty"}\n', "control character 0x09"),
    "cut off": Refused('{"a": 1}\n{"a": [1, 2', "line 2 of .* ends within its record", "cut off"),
    "two in a line": Refused('{"a": 1}{"a": 2}\n', "something behind its record", "jq"),
    "an array": Refused('[{"a": 1},\n {"a": 2}]\n', r"line 1 of .* begins with \[", r"jq -c '\.\[\]'"),
    "an array in a line": Refused('[{"a": 1}, {"a": 2}]', r"line 1 of .* begins with \[", r"jq -c '\.\[\]'"),
    "a document": Refused('{\n  "a": 1\n}\n', "line 1 of .* ends within its record", "jq -c"),
    "no object": Refused('"a"\n', "line 1 of .* is no object"),
    "too deep": Refused('{"a": ' + "[" * 60 + "]" * 60 + "}", "more than 50 deep"),
    "deeper than any stack": Refused('{"a": ' + "[" * 2_000_000, "more than 50 deep"),
    "nothing": Refused("", "no record with a key", "types="),
    "utf-16": Refused('{"a": 1}\n'.encode("utf-16"), "UTF-16", "iconv"),
}
