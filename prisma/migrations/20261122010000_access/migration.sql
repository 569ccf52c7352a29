-- Keys that were created without authentication, under open access. They are refused under ACCESS=keys until an administrator
-- confirms them. The default keeps keys usable that the version before creates under ACCESS=keys while it still runs.

ALTER TABLE "api_key"
    ADD COLUMN "open_access" BOOLEAN NOT NULL DEFAULT false,
    ADD COLUMN "confirmed_at" TIMESTAMPTZ(3),
    ADD COLUMN "confirmed_by" TEXT COLLATE "C",
    ADD CONSTRAINT "api_key_confirmed_check" CHECK (("confirmed_at" IS NULL) = ("confirmed_by" IS NULL));

-- "anonymous" is the client of open access alone: no key may have it.
UPDATE "api_key" SET "open_access" = true WHERE "created_by" = 'anonymous';

-- The secret under which cursors and the ids of events are encrypted. It is part of every backup, so that both stay valid.

CREATE TABLE "cursor_secret" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "value" BYTEA NOT NULL,

    CONSTRAINT "cursor_secret_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "cursor_secret_single_check" CHECK ("id" = 1),
    CONSTRAINT "cursor_secret_value_check" CHECK (octet_length("value") = 32)
);
