/** Creates SQL functions in the schema, for computations that plain SQL cannot express or would have to repeat. */
import type { Session } from "./connection.ts";
import { countedSql } from "./rates.ts";

/** Creates or replaces the functions. */
export async function makeFunctions(session: Session): Promise<void> {
  const collation = await foldingCollation(session);
  for (const sql of [numberSql, jsonSql, digestSql, foldSql(collation), foundSql, countedSql]) await session.rows(sql);
}

/**
 * Formats a number as `JSON.stringify` does. Both write the shortest digits that parse to the number, but PostgreSQL differs
 * in when it uses an exponent, and in the exponent's form. Not STRICT: PostgreSQL would not inline a STRICT function, which
 * takes seven times as long.
 */
const numberSql = `
  CREATE OR REPLACE FUNCTION nonet_number(double precision) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
      WHEN abs($1) >= 1e-4 AND abs($1) < 1e15 THEN $1::text
      WHEN $1 = 0 THEN '0'
      WHEN abs($1) >= 1e-6 AND abs($1) < 1e21 THEN $1::text::numeric::text
      ELSE regexp_replace($1::text, 'e([+-])0', 'e\\1')
    END
  $$`;

/** Writes JSON without spaces, and with numbers in JavaScript's format. */
const jsonSql = `
  CREATE OR REPLACE FUNCTION nonet_json(jsonb) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
  BEGIN
    CASE jsonb_typeof($1)
      WHEN 'number' THEN
        RETURN nonet_number(($1 #>> '{}')::double precision);
      WHEN 'array' THEN
        RETURN '[' || coalesce((
          SELECT string_agg(nonet_json(item), ',' ORDER BY place)
          FROM jsonb_array_elements($1) WITH ORDINALITY AS items(item, place)
        ), '') || ']';
      WHEN 'object' THEN
        RETURN '{' || coalesce((
          SELECT string_agg(to_json(name)::text || ':' || nonet_json(member), ',') FROM jsonb_each($1) AS members(name, member)
        ), '') || '}';
      ELSE
        RETURN $1::text;
    END CASE;
  END $$`;

/** Returns the digest that an index uses instead of a text that may be too long for the index. */
const digestSql = `
  CREATE OR REPLACE FUNCTION nonet_digest(text) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT sha256(convert_to($1, 'UTF8'))
  $$`;

/**
 * Returns SQL of a function like `folded` in base/search.ts: upper case first, then lower with one small sigma, in NFKC before
 * and after.
 */
function foldSql(collation: string): string {
  return `
  CREATE OR REPLACE FUNCTION nonet_fold(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT normalize(replace(lower(upper(normalize($1, NFKC) COLLATE "${collation}") COLLATE "${collation}"), 'ς', 'σ'), NFKC)
  $$`;
}

/** Tests whether every word, already folded, occurs in one of the texts. */
const foundSql = `
  CREATE OR REPLACE FUNCTION nonet_found(json, VARIADIC text[]) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT NOT EXISTS (
      SELECT 1 FROM json_array_elements_text($1) AS words(word)
      WHERE NOT EXISTS (SELECT 1 FROM unnest($2) AS texts(one) WHERE strpos(nonet_fold(one), word) > 0)
    )
  $$`;

/**
 * Returns the best available collation for Unicode: from PostgreSQL 18 on every server has one with full case mapping, older
 * ones may have ICU's. The last resort knows only ASCII letters.
 */
async function foldingCollation(session: Session): Promise<string> {
  const wanted = ["pg_unicode_fast", "und-x-icu", "pg_c_utf8", "C"];
  const found = await session.rows<[string]>(
    "SELECT collname FROM pg_catalog.pg_collation WHERE collname = ANY($1) ORDER BY array_position($1, collname::text) LIMIT 1",
    [wanted],
  );
  return found[0]?.[0] ?? "C";
}
