-- A minted identifier is its own first event until its first change: no row of "change" is written for it. Its place in
-- the log is its position and its id, so both tables take ids from one sequence.

ALTER TABLE "identifier"
    ADD COLUMN "position" BIGINT,
    ADD COLUMN "key_id" TEXT,
    ADD COLUMN "registered" BOOLEAN NOT NULL DEFAULT false,
    ADD COLUMN "is_first_event" BOOLEAN NOT NULL DEFAULT false,
    DROP CONSTRAINT "identifier_request_check",
    ADD CONSTRAINT "identifier_request_check" CHECK (
        ("request_key" IS NULL) = ("request_index" IS NULL)
        AND ("request_key" IS NULL) = ("request_hash" IS NULL)
        AND ("request_key" IS NULL OR "client" IS NOT NULL)
        AND octet_length("request_key") BETWEEN 1 AND 255
        AND "request_index" >= 0
        AND octet_length("request_hash") = 32
    ),
    ADD CONSTRAINT "identifier_first_event_check"
        CHECK (NOT "is_first_event" OR ("position" IS NOT NULL AND "client" IS NOT NULL AND "version" = 1));
CREATE INDEX "identifier_event_idx" ON "identifier" ("position", "id") WHERE "is_first_event";

SELECT setval('identifier_id_seq', greatest(nextval('identifier_id_seq'), nextval('change_id_seq')));
ALTER TABLE "change" ALTER COLUMN "id" SET DEFAULT nextval('identifier_id_seq');
DROP SEQUENCE "change_id_seq";

DROP TRIGGER "identifier_kept" ON "identifier";
CREATE TRIGGER "identifier_kept"
    BEFORE DELETE OR UPDATE OF "naming_authority", "guid", "local_name", "local_key", "created_at", "position", "client", "key_id", "registered"
    ON "identifier" FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();

-- Identifiers that have not changed since they were minted, as the events that they are. `octets` is about the size of the
-- patch, without building it.
CREATE VIEW "first_event" AS
SELECT "position", "id", "naming_authority", "id" AS "identifier_id", 1 AS "version",
       CASE WHEN "state" = 'reserved' THEN 'reserved' WHEN "registered" THEN 'registered' ELSE 'minted' END AS "kind",
       "client" COLLATE "default" AS "client", "key_id", "created_at" AS "at",
       json_build_array(json_build_object('op', 'add', 'path', '', 'value', json_build_object(
           'metadataId', "metadata_id", 'target', "target", 'alternateIds', to_json("alternate_ids"), 'state', "state",
           'leaseUntil', to_char("lease_until" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
           'tombstone', NULL)))::text AS "patch",
       coalesce(octet_length("metadata_id"), 0) + coalesce(octet_length("target"), 0)
         + octet_length(array_to_string("alternate_ids", ',')) AS "octets"
FROM "identifier" WHERE "is_first_event";

-- Every event. A reader of the log limits each half, because PostgreSQL does not use the index of the second half for the
-- order of both.
CREATE VIEW "event" AS
SELECT "position", "id", "naming_authority", "identifier_id", "version", "kind", "client", "key_id", "at", "patch"
FROM "change"
UNION ALL
SELECT "position", "id", "naming_authority", "identifier_id", "version", "kind", "client", "key_id", "at", "patch"
FROM "first_event";

-- A hash of 8 octets instead of a target of any length; statements compare the target itself too.
DROP INDEX "identifier_target_idx";
CREATE INDEX "identifier_target_idx" ON "identifier" (hashtextextended("target", 0), "created_at", "id") WHERE "target" IS NOT NULL;
-- PostgreSQL does not use the statistics of a partial index for its expression.
CREATE STATISTICS "identifier_target_statistics" ON hashtextextended("target", 0) FROM "identifier";
