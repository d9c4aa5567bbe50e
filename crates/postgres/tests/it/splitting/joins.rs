//! Joins split over a table of which every row of the result holds exactly one row.

use super::{splits_in_any_order, stays_whole};

#[test]
fn inner_joins_split() {
    splits_in_any_order("SELECT b.id, s.name FROM big b JOIN small s ON s.grp = b.grp");
    splits_in_any_order("SELECT b.id, s.name FROM small s, big AS b WHERE s.grp = b.grp AND s.name > 'group 3'");
    splits_in_any_order("SELECT id, grp, name FROM big JOIN small USING (grp)");
    splits_in_any_order("SELECT * FROM big NATURAL JOIN small");
    splits_in_any_order(
        "SELECT big.id, s.name, t.name FROM big JOIN small s USING (grp) CROSS JOIN small t WHERE t.grp < 2",
    );
}

#[test]
fn the_preserved_side_of_outer_joins_splits() {
    splits_in_any_order("SELECT b.id, s.name FROM big b LEFT JOIN small s ON s.grp = b.grp");
    splits_in_any_order("SELECT b.id, s.name FROM small s RIGHT JOIN big b ON s.grp = b.grp AND s.grp > 50");
}

#[test]
fn other_sides_do_not() {
    stays_whole(
        "SELECT count(*) FROM (SELECT b.id, s.name FROM small s LEFT JOIN big b ON s.grp = b.grp) AS x",
        "it aggregates",
    );
    let full = "SELECT b.id, s.name FROM big b FULL JOIN small s ON s.grp = b.grp";
    super::unsplit(full, "none of its tables gives each row of the result exactly one row");
    let left = "SELECT b.id, s.name FROM small s LEFT JOIN big b ON s.grp = b.grp";
    super::unsplit(left, "small has only 1 pages");
}

#[test]
fn a_table_that_is_read_twice_does_not() {
    super::unsplit("SELECT a.id, b.grp FROM big a JOIN big b ON a.id = b.id + 1", "more than once");
    super::unsplit("SELECT id FROM big WHERE price > (SELECT avg(price) FROM big)", "more than once");
    super::unsplit(
        "SELECT b.id, w.late FROM big b JOIN wide w ON w.id = b.id AND w.late = 7",
        "every connection would read the other tables again",
    );
}

#[test]
fn subqueries_split_with_the_table_around_them() {
    splits_in_any_order("SELECT id FROM big WHERE grp IN (SELECT grp FROM small WHERE name LIKE '%7')");
    splits_in_any_order("SELECT id, (SELECT name FROM small s WHERE s.grp = b.grp) FROM big b");
    splits_in_any_order("SELECT id FROM big b WHERE NOT EXISTS (SELECT FROM small WHERE small.grp = b.grp)");
    splits_in_any_order("SELECT b.id, v.x FROM big b, (VALUES (1), (2)) v(x) WHERE b.grp = v.x");
}
