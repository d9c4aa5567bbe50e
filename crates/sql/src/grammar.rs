//! The parser's grammars, bounded: no text takes long, whatever it holds.

use std::any::TypeId;
use std::cell::Cell;

use sqlparser::ast::{Expr, Statement};
use sqlparser::dialect::{
    AnsiDialect, Dialect, MsSqlDialect, MySqlDialect, OracleDialect, PostgreSqlDialect, Precedence, SQLiteDialect,
};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{TokenWithSpan, Tokenizer, TokenizerError};

use crate::dialect::Dialect as Whose;

/// Parses with the dialect's grammar. `tokens` says how long the text is.
pub(crate) fn parse(sql: &str, dialect: Whose, tokens: usize) -> Result<Vec<Statement>, ParserError> {
    match dialect {
        Whose::Postgres => Parser::parse_sql(&Bounded::new(PostgreSqlDialect {}, tokens), sql),
        Whose::Sqlite => Parser::parse_sql(&Bounded::new(SQLiteDialect {}, tokens), sql),
        Whose::MySql => Parser::parse_sql(&Bounded::new(MySqlDialect {}, tokens), sql),
        Whose::SqlServer => Parser::parse_sql(&Bounded::new(MsSqlDialect {}, tokens), sql),
        Whose::Oracle => Parser::parse_sql(&Bounded::new(OracleDialect {}, tokens), sql),
        Whose::Standard => Parser::parse_sql(&Bounded::new(AnsiDialect {}, tokens), sql),
    }
}

/// The parser's own pieces of a text, with where they stand.
pub(crate) fn tokenize(sql: &str, dialect: Whose) -> Result<Vec<TokenWithSpan>, TokenizerError> {
    match dialect {
        Whose::Postgres => Tokenizer::new(&Bounded::new(PostgreSqlDialect {}, 0), sql).tokenize_with_location(),
        Whose::Sqlite => Tokenizer::new(&Bounded::new(SQLiteDialect {}, 0), sql).tokenize_with_location(),
        Whose::MySql => Tokenizer::new(&Bounded::new(MySqlDialect {}, 0), sql).tokenize_with_location(),
        Whose::SqlServer => Tokenizer::new(&Bounded::new(MsSqlDialect {}, 0), sql).tokenize_with_location(),
        Whose::Oracle => Tokenizer::new(&Bounded::new(OracleDialect {}, 0), sql).tokenize_with_location(),
        Whose::Standard => Tokenizer::new(&Bounded::new(AnsiDialect {}, 0), sql).tokenize_with_location(),
    }
}

/// A dialect of the parser with a limit to how often it may start to read an expression.
///
/// Where a construct has several readings the parser tries one after the other, and inside of each all readings of what
/// it holds: twice the work for each level of nesting. Ordinary text reads an expression about once a token.
#[derive(Debug)]
struct Bounded<D> {
    dialect: D,
    /// How often is left.
    budget: Cell<usize>,
}

impl<D> Bounded<D> {
    fn new(dialect: D, tokens: usize) -> Self {
        let budget = tokens.saturating_mul(10).saturating_add(20_000);
        Bounded { dialect, budget: Cell::new(budget) }
    }
}

/// Hands questions without arguments on to the parser's own dialect.
macro_rules! ask_dialect {
    ($($question:ident)*) => {
        $(fn $question(&self) -> bool {
            self.dialect.$question()
        })*
    };
}

/// Everything that one of the dialects answers for itself and that may matter in a SELECT. The rest is left at
/// what the parser has for all dialects.
impl<D: Dialect> Dialect for Bounded<D> {
    fn parse_prefix(&self, parser: &mut Parser<'_>) -> Option<Result<Expr, ParserError>> {
        let Some(left) = self.budget.get().checked_sub(1) else {
            return Some(Err(ParserError::ParserError("it can be read in too many ways".to_owned())));
        };
        self.budget.set(left);
        self.dialect.parse_prefix(parser)
    }

    /// The name of an argument (`f(a => 1)`) is a name. PostgreSQL's dialect takes it for an expression, and then reads
    /// each argument twice, and one inside of 20 calls, `replace(replace(…))`, a million times.
    fn supports_named_fn_args_with_expr_name(&self) -> bool {
        false
    }

    fn dialect(&self) -> TypeId {
        self.dialect.dialect()
    }

    fn identifier_quote_style(&self, identifier: &str) -> Option<char> {
        self.dialect.identifier_quote_style(identifier)
    }

    fn is_delimited_identifier_start(&self, character: char) -> bool {
        self.dialect.is_delimited_identifier_start(character)
    }

    fn is_identifier_start(&self, character: char) -> bool {
        self.dialect.is_identifier_start(character)
    }

    fn is_identifier_part(&self, character: char) -> bool {
        self.dialect.is_identifier_part(character)
    }

    fn is_reserved_for_identifier(&self, keyword: Keyword) -> bool {
        self.dialect.is_reserved_for_identifier(keyword)
    }

    fn is_custom_operator_part(&self, character: char) -> bool {
        self.dialect.is_custom_operator_part(character)
    }

    fn is_table_factor_alias(&self, explicit: bool, keyword: &Keyword, parser: &mut Parser<'_>) -> bool {
        self.dialect.is_table_factor_alias(explicit, keyword, parser)
    }

    fn parse_infix(&self, parser: &mut Parser<'_>, expr: &Expr, precedence: u8) -> Option<Result<Expr, ParserError>> {
        self.dialect.parse_infix(parser, expr, precedence)
    }

    fn parse_statement(&self, parser: &mut Parser<'_>) -> Option<Result<Statement, ParserError>> {
        self.dialect.parse_statement(parser)
    }

    fn get_next_precedence(&self, parser: &Parser<'_>) -> Option<Result<u8, ParserError>> {
        self.dialect.get_next_precedence(parser)
    }

    fn prec_value(&self, precedence: Precedence) -> u8 {
        self.dialect.prec_value(precedence)
    }

    ask_dialect! {
        allow_extract_custom
        allow_extract_single_quotes
        ignores_wildcard_escapes
        require_interval_qualifier
        requires_single_line_comment_whitespace
        supports_array_typedef_with_brackets
        supports_binary_kw_as_cast
        supports_bitwise_shift_operators
        supports_comma_separated_trim
        supports_comment_optimizer_hint
        supports_cross_join_constraint
        supports_data_type_signed_suffix
        supports_dollar_placeholder
        supports_double_ampersand_operator
        supports_empty_projections
        supports_explain_with_utility_options
        supports_factorial_operator
        supports_filter_during_aggregation
        supports_geometric_types
        supports_group_by_expr
        supports_in_empty_list
        supports_insert_table_alias
        supports_interval_options
        supports_limit_comma
        supports_match_against
        supports_multiline_comment_hints
        supports_named_fn_args_with_colon_operator
        supports_nested_comments
        supports_notnull_operator
        supports_numeric_literal_underscores
        supports_numeric_prefix
        supports_quote_delimited_string
        supports_select_modifiers
        supports_select_wildcard_with_alias
        supports_string_escape_constant
        supports_string_literal_backslash_escape
        supports_string_literal_concatenation
        supports_table_hints
        supports_unicode_string_literal
        supports_xml_expressions
    }
}
