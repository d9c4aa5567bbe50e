//! What PostgreSQL's catalogue says of types that are not built in.

use std::collections::{BTreeMap, BTreeSet};

use postgres_types::Type;

/// Types by their OID.
#[derive(Debug, Default)]
pub struct Catalog {
    types: BTreeMap<u32, CatalogType>,
    /// Digits after the point of `money`, where a column needs it.
    pub money_scale: Option<i8>,
}

/// One type.
#[derive(Clone, Debug)]
pub struct CatalogType {
    /// Its name, without the schema.
    pub name: String,
    /// What it is made of.
    pub kind: Kind,
    /// The function that writes it as text, quoted and with its schema; empty for built-in types that are decoded.
    pub output: String,
}

/// What a type is made of.
#[derive(Clone, Debug)]
pub enum Kind {
    /// Nothing else.
    Scalar,
    /// Elements of this type.
    Array(u32),
    /// These labels, in their order.
    Enumeration(Vec<String>),
    /// Another type, with this type modifier.
    Domain(u32, i32),
    /// These attributes.
    Composite(Vec<Attribute>),
    /// Bounds of this type.
    Range(u32),
    /// Ranges of this type.
    Multirange(u32),
}

/// An attribute of a composite type.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// The OID of its type.
    pub oid: u32,
    /// The modifier of its type; -1 for none.
    pub modifier: i32,
    /// Declared dimensions of an array; 0 for anything else.
    pub dimensions: usize,
}

impl Catalog {
    /// Adds the type of this OID.
    pub fn insert(&mut self, oid: u32, found: CatalogType) {
        self.types.insert(oid, found);
    }

    /// The type of this OID.
    pub fn get(&self, oid: u32) -> Option<&CatalogType> {
        self.types.get(&oid)
    }

    /// The name of the type of this OID, for people.
    pub fn name(&self, oid: u32) -> String {
        self.get(oid).map_or_else(|| format!("type {oid}"), |found| found.name.clone())
    }

    /// The types that those in it are made of, and that are not in it yet.
    pub fn missing(&self) -> BTreeSet<u32> {
        self.types.values().flat_map(CatalogType::parts).filter(|oid| !self.types.contains_key(oid)).collect()
    }
}

impl CatalogType {
    /// A built-in type that is decoded by itself, so that nothing but its name matters.
    pub fn builtin(oid: u32) -> Self {
        let name = Type::from_oid(oid).map_or_else(|| format!("type {oid}"), |builtin| builtin.name().to_owned());
        CatalogType { name, kind: Kind::Scalar, output: String::new() }
    }

    /// The types that it is made of.
    fn parts(&self) -> Vec<u32> {
        match &self.kind {
            Kind::Scalar | Kind::Enumeration(_) => Vec::new(),
            Kind::Array(part) | Kind::Domain(part, _) | Kind::Range(part) | Kind::Multirange(part) => vec![*part],
            Kind::Composite(attributes) => attributes.iter().map(|attribute| attribute.oid).collect(),
        }
    }
}
