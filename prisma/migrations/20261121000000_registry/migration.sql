-- Naming authorities with a life of their own.

ALTER TABLE "naming_authority"
    DROP CONSTRAINT "naming_authority_prefix_check",
    ADD COLUMN "profile" TEXT NOT NULL DEFAULT 'cordra',
    ADD COLUMN "case_insensitive" BOOLEAN NOT NULL DEFAULT false,
    ADD COLUMN "uuid_version" SMALLINT NOT NULL DEFAULT 4,
    ADD COLUMN "target_template" TEXT COLLATE "C",
    ADD COLUMN "resolver_scheme" TEXT COLLATE "C",
    ADD COLUMN "resolver_authority" TEXT COLLATE "C",
    ADD COLUMN "resolver_first_segment" TEXT COLLATE "C",
    ADD COLUMN "version" INTEGER NOT NULL DEFAULT 1,
    ADD COLUMN "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    ADD CONSTRAINT "naming_authority_profile_check" CHECK ("profile" IN ('cordra', 'handle')),
    ADD CONSTRAINT "naming_authority_prefix_check" CHECK (
        octet_length("prefix") BETWEEN 1 AND 255
        AND ("profile" = 'handle' OR "prefix" ~ '^[0-9]+(\.[0-9]+)*$')
    ),
    ADD CONSTRAINT "naming_authority_uuid_version_check" CHECK ("uuid_version" IN (1, 4, 7)),
    ADD CONSTRAINT "naming_authority_target_template_check" CHECK (octet_length("target_template") <= 2048),
    ADD CONSTRAINT "naming_authority_resolver_check" CHECK (
        ("resolver_scheme" IS NULL) = ("resolver_authority" IS NULL)
        AND ("resolver_scheme" IS NOT NULL OR "resolver_first_segment" IS NULL)
    ),
    ADD CONSTRAINT "naming_authority_version_check" CHECK ("version" >= 1);

-- ASCII letters of a prefix have no case (R-15), and the collation "C" folds no others.
CREATE UNIQUE INDEX "naming_authority_prefix_fold_key" ON "naming_authority" (upper("prefix" COLLATE "C"));
CREATE INDEX "naming_authority_updated_idx" ON "naming_authority" ("updated_at");

-- Identifiers with any local name, a lease, a tombstone, and the client whose request minted them.

ALTER TABLE "identifier"
    ALTER COLUMN "guid" DROP NOT NULL,
    ADD COLUMN "local_name" TEXT COLLATE "C",
    ADD COLUMN "local_key" BYTEA,
    ADD COLUMN "lease_until" TIMESTAMPTZ(3),
    ADD COLUMN "withdrawn_at" TIMESTAMPTZ(3),
    ADD COLUMN "withdrawal_reason" TEXT,
    ADD COLUMN "replaced_by" TEXT COLLATE "C",
    ADD COLUMN "client" TEXT COLLATE "C";

UPDATE "identifier" SET "client" = 'anonymous' WHERE "request_key" IS NOT NULL;

ALTER TABLE "identifier"
    ALTER COLUMN "alternate_ids" SET DATA TYPE TEXT[] COLLATE "C",
    -- A local name is a GUID, or it is a text whose key is compared (CID-02).
    ADD CONSTRAINT "identifier_local_name_check" CHECK (
        ("guid" IS NULL) = ("local_name" IS NOT NULL)
        AND ("local_name" IS NULL) = ("local_key" IS NULL)
        AND octet_length("local_name") BETWEEN 1 AND 8192
        AND octet_length("local_key") = 32
    ),
    ADD CONSTRAINT "identifier_lease_check" CHECK (("state" = 'reserved') = ("lease_until" IS NOT NULL)),
    ADD CONSTRAINT "identifier_tombstone_check" CHECK (
        ("state" = 'withdrawn') = ("withdrawn_at" IS NOT NULL)
        AND ("withdrawn_at" IS NULL) = ("withdrawal_reason" IS NULL)
        AND ("withdrawn_at" IS NOT NULL OR "replaced_by" IS NULL)
    ),
    DROP CONSTRAINT "identifier_request_check",
    ADD CONSTRAINT "identifier_request_check" CHECK (
        ("request_key" IS NULL) = ("request_index" IS NULL)
        AND ("request_key" IS NULL) = ("request_hash" IS NULL)
        AND ("request_key" IS NULL) = ("client" IS NULL)
        AND octet_length("request_key") BETWEEN 1 AND 255
        AND "request_index" >= 0
        AND octet_length("request_hash") = 32
    ),
    -- Checking it would lock the one row of the naming authority for every mint. The statement that mints selects from
    -- that table, and the trigger below keeps its rows.
    DROP CONSTRAINT "identifier_naming_authority_fkey";

DROP INDEX "identifier_guid_key";
CREATE UNIQUE INDEX "identifier_guid_key" ON "identifier" ("guid", "naming_authority");
DROP INDEX "identifier_metadata_key";
DROP INDEX "identifier_metadata_idx";
DROP INDEX "identifier_request_key";
DROP INDEX "identifier_target_idx";
DROP INDEX "identifier_created_idx";
CREATE UNIQUE INDEX "identifier_metadata_key" ON "identifier" ("metadata_key", "naming_authority") WHERE "metadata_key" IS NOT NULL;
CREATE UNIQUE INDEX "identifier_local_key" ON "identifier" ("local_key", "naming_authority") WHERE "local_key" IS NOT NULL;
CREATE UNIQUE INDEX "identifier_request_key" ON "identifier" ("client", "request_key", "request_index") WHERE "request_key" IS NOT NULL;
-- Every page is cut in the order of these two columns, so each filter of a list has an index that ends with them.
CREATE INDEX "identifier_created_idx" ON "identifier" ("created_at", "id");
-- Only lists ask for it: its condition, which every row meets, keeps the planner from finding single identifiers by it as long
-- as it knows nothing of what is in the table.
CREATE INDEX "identifier_authority_idx" ON "identifier" ("naming_authority", "created_at", "id") WHERE "id" > 0;
CREATE INDEX "identifier_target_idx" ON "identifier" ("target", "created_at", "id") WHERE "target" IS NOT NULL;
CREATE INDEX "identifier_inactive_idx" ON "identifier" ("created_at", "id") WHERE "state" <> 'active';
CREATE INDEX "identifier_lease_idx" ON "identifier" ("lease_until") WHERE "state" = 'reserved';

-- Alternate identifiers: unique within a naming authority, found by their key.

CREATE TABLE "alternate_identifier" (
    "key" BYTEA NOT NULL,
    "naming_authority" TEXT COLLATE "C" NOT NULL,
    "identifier_id" BIGINT NOT NULL,

    CONSTRAINT "alternate_identifier_pkey" PRIMARY KEY ("key", "naming_authority"),
    CONSTRAINT "alternate_identifier_key_check" CHECK (octet_length("key") = 32)
);
CREATE INDEX "alternate_identifier_identifier_idx" ON "alternate_identifier" ("identifier_id");
ALTER TABLE "alternate_identifier" ADD CONSTRAINT "alternate_identifier_identifier_id_fkey"
    FOREIGN KEY ("identifier_id") REFERENCES "identifier" ("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

INSERT INTO "alternate_identifier" ("key", "naming_authority", "identifier_id")
SELECT unnest("alternate_keys"), "naming_authority", "id" FROM "identifier";

DROP INDEX "identifier_alternate_idx";
ALTER TABLE "identifier"
    DROP CONSTRAINT "identifier_alternate_check",
    DROP COLUMN "alternate_keys",
    ADD CONSTRAINT "identifier_alternate_check" CHECK (cardinality("alternate_ids") <= 100);

-- Every change, in the order in which transactions committed. `position` is the number of the transaction plus the offset, which
-- grows when a dump is restored into a younger cluster, whose transaction numbers are smaller.

CREATE TABLE "change_offset" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "value" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "change_offset_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "change_offset_single_check" CHECK ("id" = 1)
);
INSERT INTO "change_offset" DEFAULT VALUES;

CREATE TABLE "change" (
    "position" BIGINT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "naming_authority" TEXT COLLATE "C" NOT NULL,
    "identifier_id" BIGINT,
    "version" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "client" TEXT NOT NULL,
    "key_id" TEXT,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "patch" TEXT NOT NULL,

    CONSTRAINT "change_pkey" PRIMARY KEY ("position", "id"),
    CONSTRAINT "change_version_check" CHECK ("version" >= 1)
);
CREATE UNIQUE INDEX "change_identifier_key" ON "change" ("identifier_id", "version") WHERE "identifier_id" IS NOT NULL;
CREATE UNIQUE INDEX "change_authority_key" ON "change" ("naming_authority", "version") WHERE "identifier_id" IS NULL;

INSERT INTO "change" ("position", "naming_authority", "version", "kind", "client", "at", "patch")
SELECT pg_current_xact_id()::text::bigint, "prefix", 1, 'created', 'service', "created_at",
       json_build_array(json_build_object('op', 'add', 'path', '', 'value', json_build_object(
           'status', "status", 'profile', "profile", 'caseInsensitive', "case_insensitive", 'uuidVersion', "uuid_version",
           'targetTemplate', NULL, 'resolver', NULL)))::text
FROM "naming_authority" ORDER BY "prefix";

INSERT INTO "change" ("position", "naming_authority", "identifier_id", "version", "kind", "client", "at", "patch")
SELECT pg_current_xact_id()::text::bigint, "naming_authority", "id", "version", 'minted', coalesce("client", 'anonymous'), "created_at",
       json_build_array(json_build_object('op', 'add', 'path', '', 'value', json_build_object(
           'metadataId', "metadata_id", 'target', "target", 'alternateIds', to_json("alternate_ids"), 'state', "state",
           'leaseUntil', NULL, 'tombstone', NULL)))::text
FROM "identifier" ORDER BY "id";

-- What a request with an Idempotency-Key came to, where the row of no identifier can tell it.

CREATE TABLE "request" (
    "client" TEXT COLLATE "C" NOT NULL,
    "key" TEXT COLLATE "C" NOT NULL,
    "hash" BYTEA NOT NULL,
    "outcome" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "request_pkey" PRIMARY KEY ("client", "key"),
    CONSTRAINT "request_key_check" CHECK (octet_length("key") BETWEEN 1 AND 255),
    CONSTRAINT "request_hash_check" CHECK (octet_length("hash") = 32)
);

-- Nothing is deleted or reused, and the history is appended to, never rewritten.

CREATE FUNCTION "refuse_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'rows of % are kept as they are: % is refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER "naming_authority_kept" BEFORE DELETE OR UPDATE OF "prefix", "profile", "case_insensitive" ON "naming_authority"
    FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "identifier_kept" BEFORE DELETE OR UPDATE OF "naming_authority", "guid", "local_name", "local_key", "created_at" ON "identifier"
    FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "change_kept" BEFORE DELETE OR UPDATE ON "change"
    FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();
