-- SQLite's functions that the queries use, for PostgreSQL. A text of theirs compares by
-- its bytes, as all columns do.

CREATE DOMAIN plain AS text COLLATE "C";

CREATE FUNCTION instr(value text, part text) RETURNS integer LANGUAGE sql IMMUTABLE
	AS 'SELECT strpos(value, part)';

-- PostgreSQL's JSON has no NUL and no half of a character. The second makes the document
-- unreadable for searches; it is stored as it came.
CREATE FUNCTION json_of(doc text) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
	RETURN replace(doc, '\u0000', '\ufffd')::jsonb;
EXCEPTION WHEN others THEN
	RETURN NULL;
END $$;

CREATE FUNCTION json_text(v jsonb) RETURNS plain LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE jsonb_typeof(v)
		WHEN 'string' THEN v #>> '{}'
		WHEN 'boolean' THEN CASE WHEN v = 'true' THEN '1' ELSE '0' END
		WHEN 'null' THEN NULL
		ELSE v::text END
$$;

-- Numbers that no computer's float can hold are compared with nothing.
CREATE FUNCTION json_type(v jsonb) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE jsonb_typeof(v)
		WHEN 'string' THEN 'text'
		WHEN 'number' THEN CASE WHEN v = '0' OR abs(v::numeric) BETWEEN 1e-300 AND 1e300 THEN 'real' ELSE 'huge' END
		WHEN 'boolean' THEN v::text
		ELSE jsonb_typeof(v) END
$$;

CREATE FUNCTION json_elements(v jsonb) RETURNS TABLE (value plain, type text) LANGUAGE sql IMMUTABLE AS $$
	SELECT json_text(e), json_type(e)
	FROM jsonb_array_elements(CASE jsonb_typeof(v) WHEN 'array' THEN v ELSE jsonb_build_array(v) END) AS e
$$;

CREATE FUNCTION json_each(doc text) RETURNS TABLE (key plain, value plain, type text, raw jsonb) LANGUAGE sql IMMUTABLE AS $$
	SELECT e.key::plain, json_text(e.value), json_type(e.value), e.value
	FROM (SELECT json_of(doc) AS v) AS d, jsonb_each(CASE jsonb_typeof(v)
		WHEN 'object' THEN v
		WHEN 'array' THEN (SELECT jsonb_object_agg(n, x) FROM jsonb_array_elements(v) WITH ORDINALITY AS a (x, n)) END) AS e
$$;

CREATE FUNCTION json_extract(doc text, path text) RETURNS plain LANGUAGE sql IMMUTABLE
	AS $$SELECT json_of(doc) ->> substr(path, 3)$$;

-- words_of is a text in lower case with one space around each word. Only ICU knows the
-- letters of all languages, whatever the locale of the database is.
DO $$
DECLARE
	icu text := coalesce((SELECT ' COLLATE "und-x-icu"' FROM pg_collation WHERE collname = 'und-x-icu'), '');
BEGIN
	EXECUTE format('CREATE FUNCTION words_of(value text) RETURNS text LANGUAGE sql IMMUTABLE AS %L',
		'SELECT '' '' || regexp_replace(lower(normalize(value)' || icu || '), ''[^[:alnum:]]+'', '' '', ''g'') || '' ''');
END $$;

CREATE FUNCTION has_words(value text, query text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
	have text := words_of(value);
	want text[] := string_to_array(btrim(words_of(query)), ' ');
BEGIN
	FOR i IN 1 .. cardinality(want) LOOP
		IF want[i] = '' OR strpos(have, ' ' || want[i] || CASE WHEN i < cardinality(want) THEN ' ' ELSE '' END) = 0 THEN
			RETURN false;
		END IF;
	END LOOP;
	RETURN have IS NOT NULL AND cardinality(want) > 0;
END $$;

-- An index entry has at most 2.7 kB, so indexes have the first 200 characters of long texts. Order and
-- equality of these agree with those of the texts. rest tells long texts apart that begin alike.
CREATE FUNCTION hash_of(value text) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$SELECT sha256(convert_to(value, 'UTF8'))$$;
CREATE FUNCTION rest(folder text, name text) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT CASE WHEN length(folder) <= 200 AND length(name) <= 200 THEN '' ELSE hash_of(folder || name) END
$$;
CREATE FUNCTION same(value text, other text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT left(value, 200) = left(other, 200) AND value = other
$$;
CREATE FUNCTION within(value text, first text, last text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT left(value, 200) >= left(first, 200) AND left(value, 200) <= left(last, 200) AND value >= first AND value < last
$$;
CREATE UNIQUE INDEX folders_path ON folders (left(path, 200), rest(path, ''));
CREATE INDEX folders_parent ON folders (left(parent, 200), left(name, 200));
CREATE UNIQUE INDEX files_place ON files (left(folder, 200), left(name_key, 200), rest(folder, name_key));
CREATE INDEX files_folder_created ON files (left(folder, 200), created);
CREATE INDEX files_name ON files (left(name_key, 200));
