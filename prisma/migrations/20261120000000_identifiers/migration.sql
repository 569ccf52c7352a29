-- Key columns take the collation "C": they are compared byte by byte, never by a locale's rules.

CREATE TABLE "naming_authority" (
    "prefix" TEXT COLLATE "C" NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'active',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "naming_authority_pkey" PRIMARY KEY ("prefix"),
    CONSTRAINT "naming_authority_prefix_check" CHECK ("prefix" ~ '^[0-9]+(\.[0-9]+)*$' AND octet_length("prefix") <= 255),
    CONSTRAINT "naming_authority_status_check" CHECK ("status" IN ('active', 'suspended'))
);

CREATE TABLE "identifier" (
    "id" BIGSERIAL NOT NULL,
    "naming_authority" TEXT COLLATE "C" NOT NULL,
    "guid" UUID NOT NULL,
    "metadata_id" TEXT COLLATE "C",
    "metadata_key" BYTEA,
    "target" TEXT COLLATE "C",
    "alternate_ids" TEXT[] NOT NULL DEFAULT '{}',
    "alternate_keys" BYTEA[] NOT NULL DEFAULT '{}',
    "state" TEXT NOT NULL DEFAULT 'active',
    "version" INTEGER NOT NULL DEFAULT 1,
    "request_key" TEXT COLLATE "C",
    "request_index" INTEGER,
    "request_hash" BYTEA,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "identifier_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "identifier_metadata_check" CHECK (
        ("metadata_id" IS NULL) = ("metadata_key" IS NULL)
        AND octet_length("metadata_id") <= 16384
        AND octet_length("metadata_key") = 32
    ),
    -- An object and the record that describes it are two things (CID-24), whatever query or fragment follows (R-24).
    CONSTRAINT "identifier_metadata_differs_check" CHECK (
        split_part(split_part("metadata_id", '#', 1), '?', 1) <> 'hdl:' || "naming_authority" || '/' || upper(replace("guid"::text, '-', ''))
    ),
    CONSTRAINT "identifier_target_check" CHECK (octet_length("target") <= 2048),
    CONSTRAINT "identifier_alternate_check" CHECK (
        cardinality("alternate_ids") = cardinality("alternate_keys") AND cardinality("alternate_ids") <= 100
    ),
    CONSTRAINT "identifier_state_check" CHECK ("state" IN ('reserved', 'active', 'withdrawn')),
    CONSTRAINT "identifier_version_check" CHECK ("version" >= 1),
    CONSTRAINT "identifier_request_check" CHECK (
        ("request_key" IS NULL) = ("request_index" IS NULL)
        AND ("request_key" IS NULL) = ("request_hash" IS NULL)
        AND octet_length("request_key") BETWEEN 1 AND 255
        AND "request_index" >= 0
        AND octet_length("request_hash") = 32
    ),
    CONSTRAINT "identifier_updated_check" CHECK ("updated_at" >= "created_at")
);

CREATE UNIQUE INDEX "identifier_guid_key" ON "identifier"("naming_authority", "guid");
CREATE UNIQUE INDEX "identifier_metadata_key" ON "identifier"("naming_authority", "metadata_key");
CREATE UNIQUE INDEX "identifier_request_key" ON "identifier"("request_key", "request_index");
CREATE INDEX "identifier_metadata_idx" ON "identifier"("metadata_key");
CREATE INDEX "identifier_alternate_idx" ON "identifier" USING GIN ("alternate_keys");
CREATE INDEX "identifier_target_idx" ON "identifier"("target");
CREATE INDEX "identifier_created_idx" ON "identifier"("created_at");

ALTER TABLE "identifier" ADD CONSTRAINT "identifier_naming_authority_fkey"
    FOREIGN KEY ("naming_authority") REFERENCES "naming_authority"("prefix") ON DELETE RESTRICT ON UPDATE RESTRICT;
