-- Who may read what: as with every other COPY.
CREATE ROLE bowshot_reader;
CREATE TABLE secret (id int, word text);
CREATE TABLE partly (id int, word text);
CREATE TABLE own_rows (owner name, word text);
INSERT INTO secret VALUES (1, 'hidden');
INSERT INTO partly VALUES (1, 'hidden');
INSERT INTO own_rows VALUES ('bowshot_reader', 'mine'), ('postgres', 'not mine');
GRANT SELECT (id) ON partly TO bowshot_reader;
GRANT SELECT ON own_rows TO bowshot_reader;
ALTER TABLE own_rows ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON own_rows USING (owner = current_user);

SET ROLE bowshot_reader;
SELECT bowshot.version() IS NOT NULL AS may_call;
COPY secret TO STDOUT (FORMAT arrow);
COPY (SELECT 1 FROM secret WHERE word LIKE 'h%') TO STDOUT (FORMAT arrow);
COPY partly TO STDOUT (FORMAT arrow);
COPY partly (word) TO STDOUT (FORMAT arrow);
\o /dev/null
COPY partly (id) TO STDOUT (FORMAT arrow);
COPY own_rows TO STDOUT (FORMAT arrow);
COPY (SELECT word FROM own_rows) TO STDOUT (FORMAT arrow);
\o
SET row_security = off;
COPY own_rows TO STDOUT (FORMAT arrow);
RESET row_security;
RESET ROLE;
\o /dev/null
COPY own_rows TO STDOUT (FORMAT arrow);
\o

DROP TABLE secret, partly, own_rows;
DROP ROLE bowshot_reader;
