-- Keys of clients. The secret itself is known to its client only.

CREATE TABLE "api_key" (
    "id" UUID NOT NULL,
    "client" TEXT COLLATE "C" NOT NULL,
    "label" TEXT,
    "secret_hash" BYTEA NOT NULL,
    "scopes" TEXT[] NOT NULL,
    "grants" JSONB,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_by" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "api_key_client_check" CHECK (octet_length("client") BETWEEN 1 AND 255),
    CONSTRAINT "api_key_secret_hash_check" CHECK (octet_length("secret_hash") = 32),
    CONSTRAINT "api_key_scopes_check" CHECK (
        cardinality("scopes") >= 1 AND "scopes" <@ ARRAY['read', 'mint', 'register', 'curate', 'admin']
    )
);
CREATE UNIQUE INDEX "api_key_secret_hash_key" ON "api_key" ("secret_hash");
CREATE INDEX "api_key_created_idx" ON "api_key" ("created_at", "id");
