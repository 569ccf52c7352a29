-- Results of requests with an Idempotency-Key that are worked off in parts: the lines of a stream that no identifier's own
-- row has the result of, and the settlement of a reservation. `place` is the first one that the part covers.

CREATE TABLE "request_part" (
    "client" TEXT COLLATE "C" NOT NULL,
    "key" TEXT COLLATE "C" NOT NULL,
    "place" INTEGER NOT NULL,
    "places" INTEGER[] NOT NULL,
    "outcomes" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "request_part_pkey" PRIMARY KEY ("client", "key", "place"),
    CONSTRAINT "request_part_key_check" CHECK (octet_length("key") BETWEEN 1 AND 255),
    CONSTRAINT "request_part_places_check" CHECK ("places"[1] = "place")
);

-- The name of the advisory lock that every statement holds which uses an Idempotency-Key for the first time ("Key" in ASCII).

CREATE FUNCTION "lock_request_key"("client" TEXT, "key" TEXT) RETURNS BOOLEAN LANGUAGE sql VOLATILE AS $$
    SELECT pg_try_advisory_xact_lock(4941177, hashtext($1 || ' ' || $2))
$$;

-- Which rows of a statement may use their Idempotency-Keys, by their ordinals from 1: those whose lock was free, and whose place
-- in the request has no result. A statement that waits for another one would otherwise miss what that one has committed: each
-- query of a volatile function sees what was committed before the query, so the second one sees what was committed before the
-- lock was taken (PostgreSQL 36.7). A session keeps the plans of a function: one that was made while a table was empty would read
-- all of it later, so sequential scans are off.

CREATE FUNCTION "usable_request_places"("clients" TEXT[], "keys" TEXT[], "places" INTEGER[]) RETURNS SETOF INTEGER
    LANGUAGE plpgsql VOLATILE SET enable_seqscan = off AS $$
DECLARE
    "locked" BOOLEAN[];
BEGIN
    "locked" := ARRAY(
        SELECT "lock_request_key"(w."client", w."key") FROM unnest("clients", "keys") WITH ORDINALITY AS w("client", "key", "n")
        ORDER BY w."n"
    );
    RETURN QUERY
        SELECT w."n"::INTEGER
        FROM unnest("clients", "keys", "places", "locked") WITH ORDINALITY AS w("client", "key", "place", "locked", "n")
        WHERE w."locked"
          AND NOT EXISTS (SELECT FROM "request" r WHERE r."client" = w."client" AND r."key" = w."key" OFFSET 0)
          AND CASE WHEN w."place" = 0
              -- The key of a single mint belongs to no line of a stream.
              THEN (SELECT min(i."request_index") FROM "identifier" i WHERE i."client" = w."client" AND i."request_key" = w."key") IS NULL
                   AND NOT EXISTS (SELECT FROM "request_part" p WHERE p."client" = w."client" AND p."key" = w."key" OFFSET 0)
              ELSE NOT EXISTS (SELECT FROM "identifier" i
                               WHERE i."client" = w."client" AND i."request_key" = w."key"
                                 AND i."request_index" IN (0, w."place") OFFSET 0)
                   -- A part lies within 1,024 places.
                   AND NOT EXISTS (SELECT FROM "request_part" p
                                   WHERE p."client" = w."client" AND p."key" = w."key"
                                     AND p."place" BETWEEN (w."place" >> 10) << 10 AND w."place" AND w."place" = ANY (p."places") OFFSET 0)
              END;
END $$;
