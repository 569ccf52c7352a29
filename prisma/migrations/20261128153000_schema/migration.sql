-- The schema of Mintmark. Text columns that are compared have the byte-wise collation "C". A key column has the first 16 bytes
-- of the SHA-256 of a comparison key as a UUID: the service compares the names themselves after each hit (decision 63). Every
-- index has its readers beside it; test/e2e/database/pages-by-index and test/e2e/database/plans compare them with the plans of PostgreSQL. Columns are in
-- the order of their alignment, which saves the padding between them.

-- Rows of these tables are never deleted, and what identifies a thing never changes. The history is appended to.
CREATE FUNCTION "reject_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'rows of % are kept as they are: % is rejected', TG_TABLE_NAME, TG_OP USING ERRCODE = 'restrict_violation';
END $$;

-- Handle prefixes under which identifiers are minted (CID-09). Identifiers refer to the number, which is shorter.

CREATE TABLE "naming_authority" (
    "id" SERIAL NOT NULL,
    "prefix" TEXT COLLATE "C" NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'active',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "profile" TEXT NOT NULL DEFAULT 'cordra',
    "case_insensitive" BOOLEAN NOT NULL DEFAULT false,
    "uuid_version" SMALLINT NOT NULL DEFAULT 4,
    "target_template" TEXT COLLATE "C",
    "resolver_scheme" TEXT COLLATE "C",
    "resolver_authority" TEXT COLLATE "C",
    "resolver_first_segment" TEXT COLLATE "C",
    "stores_handle_values" BOOLEAN NOT NULL DEFAULT false,
    "sandbox" BOOLEAN NOT NULL DEFAULT false,
    "metadata_id_scheme" TEXT NOT NULL DEFAULT 'recognized',
    "version" INTEGER NOT NULL DEFAULT 1,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    -- Reader: the view "identifier_record".
    CONSTRAINT "naming_authority_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "naming_authority_state_check" CHECK ("state" IN ('active', 'suspended')),
    CONSTRAINT "naming_authority_profile_check" CHECK ("profile" IN ('cordra', 'handle')),
    CONSTRAINT "naming_authority_prefix_check" CHECK (
        octet_length("prefix") BETWEEN 1 AND 255
        AND ("profile" = 'handle' OR "prefix" ~ '^[0-9]+(\.[0-9]+)*$')
    ),
    CONSTRAINT "naming_authority_uuid_version_check" CHECK ("uuid_version" IN (1, 4, 7)),
    CONSTRAINT "naming_authority_target_template_check" CHECK (octet_length("target_template") <= 2048),
    CONSTRAINT "naming_authority_resolver_check" CHECK (
        ("resolver_scheme" IS NULL) = ("resolver_authority" IS NULL)
        AND ("resolver_scheme" IS NOT NULL OR "resolver_first_segment" IS NULL)
    ),
    CONSTRAINT "naming_authority_stores_handle_values_check" CHECK ("profile" = 'handle' OR NOT "stores_handle_values"),
    CONSTRAINT "naming_authority_metadata_id_scheme_check" CHECK ("metadata_id_scheme" IN ('recognized', 'any')),
    CONSTRAINT "naming_authority_version_check" CHECK ("version" >= 1)
);
-- Readers: mints, look-ups, and the pages of naming authorities.
CREATE UNIQUE INDEX "naming_authority_prefix_key" ON "naming_authority" ("prefix");
-- Readers: one naming authority, its parent and its children. ASCII letters of a prefix have no case (R-15), and the collation
-- "C" folds no others.
CREATE UNIQUE INDEX "naming_authority_prefix_fold_key" ON "naming_authority" (upper("prefix" COLLATE "C"));

CREATE TRIGGER "naming_authority_kept" BEFORE DELETE OR TRUNCATE OR UPDATE OF "id", "prefix" ON "naming_authority"
    FOR EACH STATEMENT EXECUTE FUNCTION "reject_change"();

-- By these settings names are read and compared, so they change only while the naming authority has no names: no identifier in any
-- state, no user, and no alternate identifier that claims a name under it. Who writes an alternate has written its identifier. The first check rejects without a lock. The lock waits for the transactions that write names, and the
-- second check sees what they have committed; what waits for the lock reads the naming authority after the change (decision 35). Two
-- changes have it one after the other, because both write to the log, which the lock of the other would prevent.

CREATE FUNCTION "has_names"("authority" INTEGER) RETURNS BOOLEAN LANGUAGE plpgsql VOLATILE SET enable_seqscan = off AS $$
BEGIN
    RETURN EXISTS (SELECT FROM "identifier" i WHERE i."naming_authority_id" = "authority" AND i."id" > 0)
        OR EXISTS (SELECT FROM "handle_user" u WHERE u."naming_authority_id" = "authority")
        OR EXISTS (SELECT FROM "alternate_identifier" a WHERE a."claimed_authority_id" = "authority" AND a."claimed_name" IS NOT NULL);
END $$;

CREATE FUNCTION "reject_change_of_rules"() RETURNS trigger LANGUAGE plpgsql SET lock_timeout = '2s' AS $$
BEGIN
    IF NOT "has_names"(OLD."id") THEN
        LOCK TABLE "position_gate" IN SHARE ROW EXCLUSIVE MODE;
        IF NOT "has_names"(OLD."id") THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION 'the rules of the naming authority % are kept: it has identifiers or users, or alternates claim names under it', OLD."prefix" USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER "naming_authority_rules" BEFORE UPDATE ON "naming_authority" FOR EACH ROW
    WHEN ((OLD."profile", OLD."case_insensitive", OLD."stores_handle_values", OLD."sandbox", OLD."metadata_id_scheme")
          IS DISTINCT FROM (NEW."profile", NEW."case_insensitive", NEW."stores_handle_values", NEW."sandbox", NEW."metadata_id_scheme"))
    EXECUTE FUNCTION "reject_change_of_rules"();

-- Settings of naming authorities on which stored names depend, fixed for a prefix by the first such name, whether the prefix is a naming
-- authority or not: "case_insensitive" if the key of the name depends on it, and "profile" (always "handle") if the local name is no GUID.
-- Rows never change, so the service remembers them. Two transactions can fix one rule at the same time without waiting for each other, so
-- the key has the number of the transaction.

CREATE TABLE "name_rule" (
    "fixed_by" BIGINT NOT NULL,
    "prefix" TEXT COLLATE "C" NOT NULL,
    "setting" TEXT COLLATE "C" NOT NULL,
    "value" TEXT COLLATE "C" NOT NULL,

    -- Readers: the first name under a prefix, and a naming authority that gets another value than names of an unknown prefix have.
    CONSTRAINT "name_rule_pkey" PRIMARY KEY ("prefix", "setting", "fixed_by"),
    CONSTRAINT "name_rule_setting_check" CHECK (
        ("setting" = 'case_insensitive' AND "value" IN ('true', 'false')) OR ("setting" = 'profile' AND "value" = 'handle')
    )
);

CREATE TRIGGER "name_rule_kept" BEFORE DELETE OR TRUNCATE OR UPDATE ON "name_rule" FOR EACH STATEMENT EXECUTE FUNCTION "reject_change"();

-- Fixes the rules of prefixes, in upper case, and returns the places, from 1, of those that have another rule. A transaction that fixes
-- a rule shares one of 64 locks, and a naming authority that gets another value has it alone: what is read after the lock was committed
-- before. 4415859 is "Cas" in ASCII.

CREATE FUNCTION "fix_name_rules"("prefixes" TEXT[], "settings" TEXT[], "required" TEXT[]) RETURNS SETOF INTEGER
    LANGUAGE plpgsql VOLATILE STRICT SET enable_seqscan = off AS $$
BEGIN
    IF EXISTS (SELECT FROM unnest("prefixes", "settings") AS w("prefix", "setting")
               WHERE NOT EXISTS (SELECT FROM "name_rule" r WHERE r."prefix" = w."prefix" AND r."setting" = w."setting" OFFSET 0)) THEN
        PERFORM pg_advisory_xact_lock_shared(4415859, l."number")
        FROM (SELECT DISTINCT hashtext(w."prefix") & 63 AS "number" FROM unnest("prefixes") AS w("prefix") ORDER BY 1) l;
        INSERT INTO "name_rule" ("prefix", "setting", "value", "fixed_by")
        SELECT w."prefix", w."setting", w."value", pg_current_xact_id()::text::bigint
        FROM unnest("prefixes", "settings", "required") AS w("prefix", "setting", "value")
        WHERE NOT EXISTS (SELECT FROM "name_rule" r WHERE r."prefix" = w."prefix" AND r."setting" = w."setting" OFFSET 0)
          AND NOT EXISTS (SELECT FROM "naming_authority" n
                          WHERE upper(n."prefix" COLLATE "C") = w."prefix"
                            AND CASE w."setting" WHEN 'profile' THEN n."profile" ELSE n."case_insensitive"::text END <> w."value" OFFSET 0)
        ON CONFLICT DO NOTHING;
    END IF;
    RETURN QUERY
        SELECT w."n"::INTEGER FROM unnest("prefixes", "settings", "required") WITH ORDINALITY AS w("prefix", "setting", "value", "n")
        WHERE (SELECT r."value" FROM "name_rule" r WHERE r."prefix" = w."prefix" AND r."setting" = w."setting" LIMIT 1)
              IS DISTINCT FROM w."value";
END $$;

CREATE FUNCTION "can_have_name_rule"("key" TEXT, "of_setting" TEXT, "requested" TEXT) RETURNS BOOLEAN LANGUAGE plpgsql VOLATILE SET enable_seqscan = off AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(4415859, hashtext("key") & 63);
    RETURN NOT EXISTS (SELECT FROM "name_rule" r WHERE r."prefix" = "key" AND r."setting" = "of_setting" AND r."value" <> "requested");
END $$;

-- Identifiers with their metadata IDs. An identifier that was minted, and not imported, is its own first event until its first
-- change (decision 62): its place in the log is its position and its id, so this table and "change" take ids from one sequence.
-- "updated_at" is null until the first change, and "alternate_ids" is null where there are none.

CREATE TABLE "identifier" (
    "id" BIGSERIAL NOT NULL,
    "position" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3),
    "lease_until" TIMESTAMPTZ(3),
    "withdrawn_at" TIMESTAMPTZ(3),
    "metadata_record_id" BIGINT,
    "naming_authority_id" INTEGER NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "request_index" INTEGER,
    "registered" BOOLEAN NOT NULL DEFAULT false,
    "is_first_event" BOOLEAN NOT NULL DEFAULT false,
    "guid" UUID,
    "local_key" UUID,
    "metadata_key" UUID,
    "previous_version_key" UUID,
    "request_hash" UUID,
    "reservation" UUID,
    "state" TEXT COLLATE "C" NOT NULL DEFAULT 'active',
    "metadata_id" TEXT COLLATE "C",
    "target" TEXT COLLATE "C",
    "language" TEXT COLLATE "C",
    "alternate_ids" TEXT[] COLLATE "C",
    "client" TEXT COLLATE "C",
    "key_id" UUID,
    "request_key" TEXT COLLATE "C",
    "local_name" TEXT COLLATE "C",
    "withdrawal_reason_code" TEXT COLLATE "C",
    "withdrawal_reason" TEXT,
    "replaced_by" TEXT COLLATE "C",
    "handle_values" JSONB,
    "previous_version" TEXT COLLATE "C",

    -- Readers: changes, events, and the records of a search.
    CONSTRAINT "identifier_pkey" PRIMARY KEY ("id"),
    -- A local name is a GUID, or it is a text whose key is compared (CID-02).
    CONSTRAINT "identifier_local_name_check" CHECK (
        ("guid" IS NULL) = ("local_name" IS NOT NULL)
        AND ("local_name" IS NULL) = ("local_key" IS NULL)
        AND octet_length("local_name") BETWEEN 1 AND 8192
    ),
    CONSTRAINT "identifier_metadata_check" CHECK (
        ("metadata_id" IS NULL) = ("metadata_key" IS NULL)
        AND octet_length("metadata_id") <= 16384
    ),
    -- Only what is or was active is a version of another object.
    CONSTRAINT "identifier_previous_version_check" CHECK (
        ("previous_version" IS NULL) = ("previous_version_key" IS NULL)
        AND ("previous_version" IS NULL OR "state" <> 'reserved')
        AND octet_length("previous_version") <= 16384
    ),
    CONSTRAINT "identifier_target_check" CHECK (octet_length("target") <= 2048),
    CONSTRAINT "identifier_language_check" CHECK (octet_length("language") <= 100),
    CONSTRAINT "identifier_handle_values_check" CHECK (jsonb_typeof("handle_values") = 'array'),
    CONSTRAINT "identifier_alternate_check" CHECK (cardinality("alternate_ids") <= 100),
    CONSTRAINT "identifier_state_check" CHECK ("state" IN ('reserved', 'active', 'withdrawn')),
    CONSTRAINT "identifier_lease_check" CHECK (("state" = 'reserved') = ("lease_until" IS NOT NULL)),
    CONSTRAINT "identifier_tombstone_check" CHECK (
        ("state" = 'withdrawn') = ("withdrawn_at" IS NOT NULL)
        AND ("withdrawn_at" IS NULL) = ("withdrawal_reason" IS NULL)
        AND ("withdrawn_at" IS NULL) = ("withdrawal_reason_code" IS NULL)
        AND "withdrawal_reason_code" IN ('duplicate', 'error', 'legal', 'other', 'deleted', 'expired', 'released', 'undone')
        AND ("withdrawn_at" IS NOT NULL OR "replaced_by" IS NULL)
    ),
    CONSTRAINT "identifier_version_check" CHECK ("version" >= 1),
    CONSTRAINT "identifier_updated_check" CHECK ("updated_at" >= "created_at"),
    CONSTRAINT "identifier_request_check" CHECK (
        ("request_key" IS NULL) = ("request_index" IS NULL)
        AND ("request_key" IS NULL) = ("request_hash" IS NULL)
        AND ("request_key" IS NULL OR "client" IS NOT NULL)
        AND octet_length("request_key") BETWEEN 1 AND 255
        AND "request_index" >= 0
    ),
    CONSTRAINT "identifier_first_event_check"
        CHECK (NOT "is_first_event" OR ("position" IS NOT NULL AND "client" IS NOT NULL AND "version" = 1))
);
-- No foreign key to "naming_authority": its check would lock the one row of the naming authority for every mint. The statement
-- that mints selects from that table, and a trigger keeps its rows.

-- Readers: look-ups of an identifier, and of a bare GUID under every naming authority. It also prevents duplicates.
CREATE UNIQUE INDEX "identifier_guid_key" ON "identifier" ("guid", "naming_authority_id");
-- Reader: look-ups of an identifier whose local name is a text.
CREATE UNIQUE INDEX "identifier_local_key" ON "identifier" ("local_key", "naming_authority_id") WHERE "local_key" IS NOT NULL;
-- Readers: look-ups of a metadata ID, and the identifiers that a record describes.
CREATE UNIQUE INDEX "identifier_metadata_key" ON "identifier" ("metadata_key", "naming_authority_id") WHERE "metadata_key" IS NOT NULL;
-- Reader: the newer versions of an identifier, the first ones in order of minting. A mint that replaces nothing does not write it.
CREATE INDEX "identifier_previous_version_idx" ON "identifier" ("previous_version_key", "created_at", "id") WHERE "previous_version_key" IS NOT NULL;
-- Readers: replays of requests with an Idempotency-Key, and the function "usable_request_places".
CREATE UNIQUE INDEX "identifier_request_key" ON "identifier" ("client", "request_key", "request_index") WHERE "request_key" IS NOT NULL;
-- Reader: the list of all identifiers. Pages have the order of these two columns, so the index of each filter ends with them.
CREATE INDEX "identifier_created_idx" ON "identifier" ("created_at", "id");
-- Readers: the list and the count of a naming authority. Every row meets the condition; it prevents that PostgreSQL finds single
-- identifiers by this index as long as it has no statistics.
CREATE INDEX "identifier_authority_idx" ON "identifier" ("naming_authority_id", "created_at", "id") WHERE "id" > 0;
-- Readers: the list and the look-up of a target. It has a hash of 8 bytes, and statements compare the target itself too.
CREATE INDEX "identifier_target_idx" ON "identifier" (hashtextextended("target", 0), "created_at", "id") WHERE "target" IS NOT NULL;
-- Reader: the list of reserved or withdrawn identifiers. Mints of active ones do not write it.
CREATE INDEX "identifier_inactive_idx" ON "identifier" ("created_at", "id") WHERE "state" <> 'active';
-- Readers: the lists of identifiers without a target, and without a metadata ID. Mints with both write neither. A reservation is in
-- the second one with its metadata ID too, because it has none when it has expired.
CREATE INDEX "identifier_no_target_idx" ON "identifier" ("created_at", "id") WHERE "target" IS NULL;
CREATE INDEX "identifier_no_metadata_idx" ON "identifier" ("created_at", "id") WHERE "metadata_key" IS NULL OR "state" = 'reserved';
-- Reader: the counts of reserved and withdrawn identifiers of a naming authority.
CREATE INDEX "identifier_inactive_authority_idx" ON "identifier" ("naming_authority_id", "state", "lease_until") WHERE "state" <> 'active';
-- Reader: the search for reservations that have expired.
CREATE INDEX "identifier_lease_idx" ON "identifier" ("lease_until") WHERE "state" = 'reserved';
-- Reader: the members of a reservation.
CREATE INDEX "identifier_reservation_idx" ON "identifier" ("reservation", "id") WHERE "reservation" IS NOT NULL;
-- Reader: the log of events. A condition on "version" would make every update write all indexes of the row.
CREATE INDEX "identifier_event_idx" ON "identifier" ("position", "id") WHERE "is_first_event";
-- PostgreSQL does not use the statistics of a partial index for its expression.
CREATE STATISTICS "identifier_target_statistics" ON hashtextextended("target", 0) FROM "identifier";

CREATE TRIGGER "identifier_kept"
    BEFORE DELETE OR TRUNCATE OR UPDATE OF "id", "naming_authority_id", "guid", "local_name", "local_key", "created_at", "position", "client", "key_id", "registered", "reservation", "metadata_record_id"
    ON "identifier" FOR EACH STATEMENT EXECUTE FUNCTION "reject_change"();

-- The first event of an identifier is read from its row until its first change, so a change that is no new version would rewrite the
-- history. The condition calls no function, so it costs the changes of the service nearly nothing.

CREATE FUNCTION "reject_rewrite"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a change of an identifier is its next version, with version = % and is_first_event = false, and has a row in "change": an update of the identifier % to version % is rejected', OLD."version" + 1, OLD."id", NEW."version" USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER "identifier_versions" BEFORE UPDATE ON "identifier" FOR EACH ROW
    WHEN (NEW."version" <> OLD."version" + 1 OR NEW."is_first_event") EXECUTE FUNCTION "reject_rewrite"();

-- At the end of the statement, "change" has the new versions: the statement that updates identifiers appends them. A session keeps
-- the plan of the function, so sequential scans are off.

CREATE FUNCTION "require_history"() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
    "missing" RECORD;
BEGIN
    SELECT u."id", u."version" INTO "missing" FROM "updated" u
    WHERE NOT EXISTS (SELECT FROM "change" c WHERE c."identifier_id" = u."id" AND c."version" = u."version" OFFSET 0) LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION '"change" has no row for version % of the identifier %: the statement that updates an identifier appends it', "missing"."version", "missing"."id" USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER "identifier_history" AFTER UPDATE ON "identifier" REFERENCING NEW TABLE AS "updated"
    FOR EACH STATEMENT EXECUTE FUNCTION "require_history"();

-- The service compares a lease with the time after its lock, but an activation can wait once more: for its row, or for a name that another
-- transaction writes. When the lease has ended by the commit, the transaction fails like one that lost against another: the service
-- repeats it, and finds the lease ended. No transaction takes an hour, so the function is called for leases that end soon only.

CREATE FUNCTION "reject_late_activation"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF clock_timestamp() >= OLD."lease_until" THEN
        RAISE EXCEPTION 'the lease of the identifier % ended while its activation waited', OLD."id" USING ERRCODE = 'serialization_failure';
    END IF;
    RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER "identifier_activation" AFTER UPDATE ON "identifier" DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (OLD."state" = 'reserved' AND NEW."state" = 'active' AND OLD."lease_until" < clock_timestamp() + INTERVAL '1 hour')
    EXECUTE FUNCTION "reject_late_activation"();

-- One bulk load gives tens of thousands of rows the same key. By these statistics the planner would expect as many rows for every
-- other key, and read the whole table for a key that has none. Most look-ups are for a key of few rows. The settings apply from
-- the next ANALYZE on. There is none here: for an analyzed empty table the planner would expect no rows, and sessions would keep
-- plans that read all of it.
ALTER TABLE "identifier"
    ALTER COLUMN "request_key" SET (n_distinct = -1),
    ALTER COLUMN "reservation" SET (n_distinct = -1);

-- The comparison keys of alternate identifiers, unique within a naming authority. The names are in "identifier"."alternate_ids". An
-- alternate claims a name of this service if its client could register the name: "claimed_name" is the GUID or the key of the local
-- name under "claimed_authority_id". No other identifier can be registered with a claimed name. Other alternates claim none.

CREATE TABLE "alternate_identifier" (
    "identifier_id" BIGINT NOT NULL,
    "key" UUID NOT NULL,
    "naming_authority_id" INTEGER NOT NULL,
    "claimed_authority_id" INTEGER,
    "claimed_name" UUID,

    -- Readers: look-ups of an alternate identifier. It also prevents duplicates.
    CONSTRAINT "alternate_identifier_pkey" PRIMARY KEY ("key", "naming_authority_id"),
    CONSTRAINT "alternate_identifier_identifier_id_fkey"
        FOREIGN KEY ("identifier_id") REFERENCES "identifier" ("id") ON DELETE RESTRICT ON UPDATE RESTRICT,
    CONSTRAINT "alternate_identifier_claimed_check" CHECK (("claimed_authority_id" IS NULL) = ("claimed_name" IS NULL))
);
-- Reader: a change of the alternates of an identifier.
CREATE INDEX "alternate_identifier_identifier_idx" ON "alternate_identifier" ("identifier_id");
-- Readers: the functions "taken_names" and "has_names", and the conflicts of a registration. A mint without a claim does not write it.
CREATE INDEX "alternate_identifier_claimed_idx" ON "alternate_identifier" ("claimed_authority_id", "claimed_name") WHERE "claimed_name" IS NOT NULL;

-- Locks names of this service until the end of the transaction: a registration shares the lock of its name, and a claim has it alone.
-- 5136749 is "Nam" in ASCII. A name has one of 512 locks, because PostgreSQL's lock table is small: 64 for each of eight groups of
-- naming authorities. Locks are taken in the order of their numbers, so that two statements cannot wait for each other. "names" has
-- GUIDs and keys of local names.

CREATE FUNCTION "lock_names"("prefixes" TEXT[], "names" UUID[], "claims" BOOLEAN[]) RETURNS VOID LANGUAGE plpgsql VOLATILE STRICT AS $$
BEGIN
    PERFORM CASE WHEN l."alone" THEN pg_advisory_xact_lock(5136749, l."number") ELSE pg_advisory_xact_lock_shared(5136749, l."number") END
    FROM (
        SELECT (n."id" & 7) * 64 + (uuid_hash(w."name") & 63) AS "number", bool_or(w."claim") AS "alone"
        FROM unnest("prefixes", "names", "claims") AS w("prefix", "name", "claim") JOIN "naming_authority" n ON n."prefix" = w."prefix"
        GROUP BY 1 ORDER BY 1
    ) l;
END $$;

-- Locks names, and returns the places of those that are taken: a registration of a claimed name, or a claim of a registered name. The
-- query after the locks sees what was committed before they were taken, as in "usable_request_places". A GUID and a key of a local name
-- cannot be confused: a naming authority has one kind of them. Without names (null) the function is not executed.

CREATE FUNCTION "taken_names"("places" INTEGER[], "prefixes" TEXT[], "names" UUID[], "claims" BOOLEAN[]) RETURNS SETOF INTEGER
    LANGUAGE plpgsql VOLATILE STRICT SET enable_seqscan = off AS $$
BEGIN
    PERFORM "lock_names"("prefixes", "names", "claims");
    RETURN QUERY
        SELECT w."place"
        FROM unnest("places", "prefixes", "names", "claims") AS w("place", "prefix", "name", "claim")
        JOIN "naming_authority" n ON n."prefix" = w."prefix"
        WHERE CASE WHEN w."claim"
              THEN EXISTS (SELECT FROM "identifier" i WHERE i."guid" = w."name" AND i."naming_authority_id" = n."id" OFFSET 0)
                   OR EXISTS (SELECT FROM "identifier" i WHERE i."local_key" = w."name" AND i."naming_authority_id" = n."id" OFFSET 0)
              ELSE EXISTS (SELECT FROM "alternate_identifier" a
                           WHERE a."claimed_name" = w."name" AND a."claimed_authority_id" = n."id" OFFSET 0)
              END;
END $$;

-- Changes of identifiers, and of naming authorities where "identifier_id" is null, in the order in which transactions began to
-- write. "position" is the number of the transaction plus "log_offset", so that it grows also where transaction numbers go back:
-- after a restore and after a failover (decision 79). "server_started_at" is the start of the PostgreSQL server at which "value" was raised last.

CREATE TABLE "change_offset" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "value" BIGINT NOT NULL DEFAULT 0,
    "server_started_at" TIMESTAMPTZ(6),

    CONSTRAINT "change_offset_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "change_offset_single_check" CHECK ("id" = 1)
);
INSERT INTO "change_offset" DEFAULT VALUES;

-- Has no rows. Each statement that takes a position or writes a name locks it against a raise of the offset and against a change of the
-- rules of a naming authority, and nothing else does.

CREATE TABLE "position_gate" (
    "id" INTEGER NOT NULL,

    CONSTRAINT "position_gate_pkey" PRIMARY KEY ("id")
);

-- The timeline of the server, of which each promotion begins a new one: the name of any file of the write-ahead log begins with it, in
-- eight hexadecimal digits. The control file has it only after the first checkpoint. It never changes while sessions write, so the
-- function is immutable: a plan contains the number, and mints do not compute it. A standby has none: it rejects this like a write.

CREATE FUNCTION "timeline"() RETURNS BIGINT LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    IF pg_is_in_recovery() THEN
        RAISE EXCEPTION 'positions of the log are known on a primary only' USING ERRCODE = 'read_only_sql_transaction';
    END IF;
    RETURN ('x' || substring(pg_walfile_name('0/1000000'), 1, 8))::bit(32)::bigint;
END $$;

-- What is added to the number of a transaction: 2^40 for each timeline after the first, and what restores need.

CREATE VIEW "log_offset" AS SELECT "value" + ("timeline"() - 1) * 1099511627776 AS "value" FROM "change_offset";

-- The number of the first transaction whose events a reader may not read yet: the oldest that runs in the snapshot of the statement and
-- is not known to belong to another database of the server, or the first that the snapshot does not have. The numbers of sessions and
-- of prepared transactions are read after the snapshot was taken. A number that is not among those of other databases counts: a
-- transaction that has ended since, or that the role does not see. Stable, so that it uses the snapshot with which the statement reads
-- its rows; a later one would have ended transactions whose rows the statement does not see. A snapshot of a standby does not list
-- the transactions that run.

CREATE FUNCTION "feed_horizon"() RETURNS BIGINT LANGUAGE plpgsql STABLE AS $$
DECLARE
    "taken" pg_snapshot := pg_current_snapshot();
BEGIN
    IF pg_is_in_recovery() THEN
        RETURN pg_snapshot_xmin("taken")::text::bigint;
    END IF;
    RETURN (
        SELECT least(min("number"), pg_current_xact_id_if_assigned(), pg_snapshot_xmax("taken"))::text::bigint
        FROM pg_snapshot_xip("taken") AS running("number")
        WHERE "number"::xid NOT IN (
            SELECT "backend_xid" FROM pg_stat_activity
            WHERE "backend_xid" IS NOT NULL AND "datname" <> current_database()
            UNION ALL
            SELECT "transaction" FROM pg_prepared_xacts WHERE "database" <> current_database()
        )
    );
EXCEPTION WHEN insufficient_privilege THEN
    RETURN pg_snapshot_xmin("taken")::text::bigint;
END $$;

CREATE TABLE "change" (
    "position" BIGINT NOT NULL,
    "id" BIGINT NOT NULL DEFAULT nextval('identifier_id_seq'),
    "identifier_id" BIGINT,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "naming_authority_id" INTEGER NOT NULL,
    "version" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "client" TEXT NOT NULL,
    "key_id" UUID,
    "patch" TEXT NOT NULL,

    -- Reader: the log of events.
    CONSTRAINT "change_pkey" PRIMARY KEY ("position", "id"),
    CONSTRAINT "change_version_check" CHECK ("version" >= 1)
);
-- Reader: the history of an identifier. It also prevents two changes to the same version.
CREATE UNIQUE INDEX "change_identifier_key" ON "change" ("identifier_id", "version") WHERE "identifier_id" IS NOT NULL;
-- Reader: the history of a naming authority.
CREATE UNIQUE INDEX "change_authority_key" ON "change" ("naming_authority_id", "version") WHERE "identifier_id" IS NULL;

CREATE TRIGGER "change_kept" BEFORE DELETE OR TRUNCATE OR UPDATE ON "change" FOR EACH STATEMENT EXECUTE FUNCTION "reject_change"();

-- Results of requests with an Idempotency-Key that are not in the row of an identifier.

CREATE TABLE "request" (
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "hash" UUID NOT NULL,
    "client" TEXT COLLATE "C" NOT NULL,
    "key" TEXT COLLATE "C" NOT NULL,
    "outcome" TEXT NOT NULL,

    -- Reader: replays.
    CONSTRAINT "request_pkey" PRIMARY KEY ("client", "key"),
    CONSTRAINT "request_key_check" CHECK (octet_length("key") BETWEEN 1 AND 255)
);
ALTER TABLE "request" ALTER COLUMN "key" SET (n_distinct = -1);

-- The same for requests that are processed in parts: lines of a stream, and items of the settlement of a reservation. "place" is
-- the index of the first item of the part, "places" has the indexes of all of them.

CREATE TABLE "request_part" (
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "place" INTEGER NOT NULL,
    "client" TEXT COLLATE "C" NOT NULL,
    "key" TEXT COLLATE "C" NOT NULL,
    "places" INTEGER[] NOT NULL,
    "outcomes" TEXT NOT NULL,

    -- Reader: replays.
    CONSTRAINT "request_part_pkey" PRIMARY KEY ("client", "key", "place"),
    CONSTRAINT "request_part_key_check" CHECK (octet_length("key") BETWEEN 1 AND 255),
    CONSTRAINT "request_part_places_check" CHECK ("places"[1] = "place")
);
ALTER TABLE "request_part" ALTER COLUMN "key" SET (n_distinct = -1);

-- Every statement that uses an Idempotency-Key for the first time holds this advisory lock (4941177 is "Key" in ASCII).

CREATE FUNCTION "lock_request_key"("client" TEXT, "key" TEXT) RETURNS BOOLEAN LANGUAGE sql VOLATILE AS $$
    SELECT pg_try_advisory_xact_lock(4941177, hashtext($1 || ' ' || $2))
$$;

-- The rows of a statement that can use their Idempotency-Keys, by their ordinals from 1: those whose lock was free, and whose
-- place in the request has no result. A statement that waits for another one would otherwise miss what that one has committed:
-- each query of a volatile function sees what was committed before the query, so the second one sees what was committed before the
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
              -- With "request_index" IN (0, place), PostgreSQL 15 reads all lines of the key for each line.
              ELSE NOT EXISTS (SELECT FROM "identifier" i
                               WHERE i."client" = w."client" AND i."request_key" = w."key" AND i."request_index" = 0 OFFSET 0)
                   AND NOT EXISTS (SELECT FROM "identifier" i
                                   WHERE i."client" = w."client" AND i."request_key" = w."key"
                                     AND i."request_index" = w."place" OFFSET 0)
                   -- A part lies within 1,024 places.
                   AND NOT EXISTS (SELECT FROM "request_part" p
                                   WHERE p."client" = w."client" AND p."key" = w."key"
                                     AND p."place" BETWEEN (w."place" >> 10) << 10 AND w."place" AND w."place" = ANY (p."places") OFFSET 0)
              END;
END $$;

-- Keys of clients. The secret is not stored. A key that was created under open access, without authentication, is rejected under
-- ACCESS=keys until an administrator confirms it.

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
    "open_access" BOOLEAN NOT NULL DEFAULT false,
    "confirmed_at" TIMESTAMPTZ(3),
    "confirmed_by" TEXT COLLATE "C",
    "handle_user" TEXT COLLATE "C",

    -- Readers: changes of a key, and the cache of keys.
    CONSTRAINT "api_key_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "api_key_client_check" CHECK (octet_length("client") BETWEEN 1 AND 255),
    CONSTRAINT "api_key_secret_hash_check" CHECK (octet_length("secret_hash") = 32),
    CONSTRAINT "api_key_scopes_check" CHECK (
        cardinality("scopes") >= 1 AND "scopes" <@ ARRAY['read', 'mint', 'register', 'curate', 'metrics', 'admin']
    ),
    CONSTRAINT "api_key_confirmed_check" CHECK (("confirmed_at" IS NULL) = ("confirmed_by" IS NULL))
);
-- Reader: authentication.
CREATE UNIQUE INDEX "api_key_secret_hash_key" ON "api_key" ("secret_hash");
-- Reader: the list of keys.
CREATE INDEX "api_key_created_idx" ON "api_key" ("created_at", "id");

-- The Handles by which clients of Handle servers sign in. They belong to a client, resolve for ever, and are no identifiers.

CREATE TABLE "handle_user" (
    "naming_authority_id" INTEGER NOT NULL,
    "local_key" UUID NOT NULL,
    "local_name" TEXT COLLATE "C" NOT NULL,
    "client" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    -- Readers: the creation of a key, and the cache of naming authorities.
    CONSTRAINT "handle_user_pkey" PRIMARY KEY ("naming_authority_id", "local_key"),
    CONSTRAINT "handle_user_naming_authority_id_fkey" FOREIGN KEY ("naming_authority_id")
        REFERENCES "naming_authority" ("id") ON DELETE RESTRICT ON UPDATE RESTRICT,
    CONSTRAINT "handle_user_local_name_check" CHECK (octet_length("local_name") BETWEEN 1 AND 255),
    CONSTRAINT "handle_user_client_check" CHECK (octet_length("client") BETWEEN 1 AND 255)
);

-- The secret under which cursors and the ids of events are encrypted. It is part of every backup, so that both stay valid.

CREATE TABLE "cursor_secret" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "value" BYTEA NOT NULL,

    CONSTRAINT "cursor_secret_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "cursor_secret_single_check" CHECK ("id" = 1),
    CONSTRAINT "cursor_secret_value_check" CHECK (octet_length("value") = 32)
);

-- No statement of the service empties a table.

CREATE TRIGGER "alternate_identifier_kept" BEFORE TRUNCATE ON "alternate_identifier" FOR EACH STATEMENT EXECUTE FUNCTION "reject_change"();
CREATE TRIGGER "change_offset_kept" BEFORE TRUNCATE ON "change_offset" FOR EACH STATEMENT EXECUTE FUNCTION "reject_change"();
CREATE TRIGGER "position_gate_kept" BEFORE TRUNCATE ON "position_gate" FOR EACH STATEMENT EXECUTE FUNCTION "reject_change"();
CREATE TRIGGER "request_kept" BEFORE TRUNCATE ON "request" FOR EACH STATEMENT EXECUTE FUNCTION "reject_change"();
CREATE TRIGGER "request_part_kept" BEFORE TRUNCATE ON "request_part" FOR EACH STATEMENT EXECUTE FUNCTION "reject_change"();
CREATE TRIGGER "api_key_kept" BEFORE TRUNCATE ON "api_key" FOR EACH STATEMENT EXECUTE FUNCTION "reject_change"();
CREATE TRIGGER "handle_user_kept" BEFORE TRUNCATE ON "handle_user" FOR EACH STATEMENT EXECUTE FUNCTION "reject_change"();
CREATE TRIGGER "cursor_secret_kept" BEFORE TRUNCATE ON "cursor_secret" FOR EACH STATEMENT EXECUTE FUNCTION "reject_change"();

-- Few rows of these tables are ever changed, so autovacuum freezes a page when it marks it as visible. By default it freezes rows that
-- are 50 million transactions old, and the vacuum against wraparound would read and write all of a table that was never changed. A
-- hundredth, where the default is a fifth of the table: the counts of naming authorities and the log read the rows of pages that are
-- not marked. A vacuum reads only these pages.

ALTER TABLE "identifier" SET (
    autovacuum_freeze_min_age = 0, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.01,
    autovacuum_vacuum_insert_threshold = 5000
);
ALTER TABLE "change" SET (
    autovacuum_freeze_min_age = 0, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.01
);
ALTER TABLE "alternate_identifier" SET (
    autovacuum_freeze_min_age = 0, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.01
);

-- The key of an identifier, by which it is found as a metadata ID, an alternate or a predecessor: 32 hexadecimal digits behind a
-- prefix of CORDRA have no case and no hyphens in it, and no query and fragment, whatever the profile. A test compares it with the
-- same function of the service.

CREATE FUNCTION "self_key"("prefix" text, "guid" uuid, "local_name" text, "case_insensitive" boolean) RETURNS uuid
  LANGUAGE sql STABLE PARALLEL SAFE
RETURN encode(substring(sha256(convert_to('hdl:' || upper("prefix" COLLATE "C") || '/' || CASE
  WHEN "guid" IS NOT NULL THEN upper(replace("guid"::text, '-', ''))
  WHEN "prefix" ~ '^[0-9.]+$' AND "local_name" ~ '^([0-9A-Fa-f]{32}|[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})($|[?#])'
    THEN upper(replace(substring("local_name" FROM '^[0-9A-Fa-f-]+'), '-', ''))
  WHEN "case_insensitive" OR upper("prefix" COLLATE "C") = '0.NA' THEN upper("local_name" COLLATE "C")
  ELSE "local_name" END, 'UTF8')) FROM 1 FOR 16), 'hex')::uuid;

-- A name as it is compared after a hit by its key, by the rules of the service ("NameRule" in src/registry/canonical-name.ts): by its
-- prefix and GUID, without the case of ASCII letters, or without that of its prefix only.

CREATE FUNCTION "compared_name"("name" text, "rule" text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE "rule"
  WHEN 'guid' THEN upper(replace(substring("name" FROM '^[^/]*/[0-9A-Fa-f-]*'), '-', '') COLLATE "C")
  WHEN 'folded' THEN upper("name" COLLATE "C")
  ELSE upper(split_part("name", '/', 1) COLLATE "C") || coalesce(substring("name" FROM '/.*'), '') END;

-- Identifiers as the service represents them: with the prefix and the resolver of the naming authority, whether the lease has
-- ended (such an identifier counts as withdrawn), the objects whose metadata ID is this identifier, in order of minting, each
-- with that metadata ID, and the first 20 identifiers that replace this one, in order of minting, each with its previous version.
-- The service compares these names. Identifiers that are withdrawn for legal reasons are in no list: their metadata IDs and
-- previous versions are hidden.

CREATE VIEW "identifier_record" AS
SELECT i.id, i.naming_authority_id, n.prefix AS naming_authority, i.guid, i.local_name, i.local_key, i.metadata_id, i.metadata_key,
       i.target, i.language, coalesce(i.alternate_ids, '{}') AS alternate_ids, i.state, i.version, i.created_at,
       coalesce(i.updated_at, i.created_at) AS updated_at, i.lease_until, i.withdrawn_at,
       i.withdrawal_reason_code, i.withdrawal_reason, i.replaced_by, i.previous_version, i.client, i.request_key, i.request_index, i.request_hash, i.reservation,
       (i.state = 'reserved' AND i.lease_until <= CURRENT_TIMESTAMP) AS expired,
       i.handle_values, n.sandbox, n.resolver_scheme, n.resolver_authority, n.resolver_first_segment,
       ARRAY(
         SELECT ARRAY[(SELECT m.prefix FROM "naming_authority" m WHERE m.id = d.naming_authority_id)
                        || '/' || coalesce(d.local_name, upper(replace(d.guid::text, '-', ''))), d.metadata_id, n.case_insensitive::text]
         FROM "identifier" d
         WHERE d.metadata_key = "self_key"(n.prefix, i.guid, i.local_name, n.case_insensitive)
           AND NOT (d.state = 'reserved' AND d.lease_until <= CURRENT_TIMESTAMP)
           AND d.withdrawal_reason_code IS DISTINCT FROM 'legal'
         ORDER BY d.created_at, d.id
       ) AS describes,
       ARRAY(
         SELECT ARRAY[(SELECT m.prefix FROM "naming_authority" m WHERE m.id = d.naming_authority_id)
                        || '/' || coalesce(d.local_name, upper(replace(d.guid::text, '-', ''))), d.previous_version, n.case_insensitive::text]
         FROM "identifier" d
         WHERE d.previous_version_key = "self_key"(n.prefix, i.guid, i.local_name, n.case_insensitive)
           AND d.withdrawal_reason_code IS DISTINCT FROM 'legal'
         ORDER BY d.created_at, d.id LIMIT 20
       ) AS newer_versions
FROM "identifier" i JOIN "naming_authority" n ON n.id = i.naming_authority_id;

-- The values that everybody may read, as the service decides it (src/registry/stored-value.ts); null for null.

CREATE FUNCTION "public_values"("handle_values" JSONB) RETURNS JSONB LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN coalesce((
  SELECT jsonb_agg(v."value" ORDER BY v."n") FROM jsonb_array_elements("handle_values") WITH ORDINALITY AS v("value", "n")
  WHERE v."value" ->> 'permissions' LIKE '__1_' AND upper(v."value" ->> 'type' COLLATE "C") <> 'HS_SECKEY'
), '[]'::jsonb);

-- Identifiers that have not changed since they were minted, as the events that they are. `bytes` is about the size of the
-- patch, without building it.

CREATE VIEW "first_event" AS
SELECT "position", "id", "naming_authority_id", "id" AS "identifier_id", 1 AS "version",
       CASE WHEN "state" = 'reserved' THEN 'reserved' WHEN "registered" THEN 'registered' ELSE 'minted' END AS "kind",
       "client" COLLATE "default" AS "client", "key_id", "created_at" AS "at",
       json_build_array(json_build_object('op', 'add', 'path', '', 'value', json_build_object(
           'metadataId', "metadata_id", 'target', "target", 'language', "language", 'alternateIds', coalesce(to_json("alternate_ids"), '[]'::json), 'previousVersion', "previous_version", 'handleValues', "public_values"("handle_values"), 'state', "state",
           'leaseUntil', to_char("lease_until" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
           'tombstone', NULL)))::text AS "patch",
       coalesce(octet_length("metadata_id"), 0) + coalesce(octet_length("target"), 0)
         + coalesce(octet_length(array_to_string("alternate_ids", ',')), 0) + coalesce(octet_length("previous_version"), 0)
         + coalesce(octet_length("handle_values"::text), 0) AS "bytes"
FROM "identifier" WHERE "is_first_event";

-- Every event. A reader of the log limits each half, because PostgreSQL does not use the index of the second half for the
-- order of both.

CREATE VIEW "event" AS
SELECT "position", "id", "naming_authority_id", "identifier_id", "version", "kind", "client", "key_id", "at", "patch"
FROM "change"
UNION ALL
SELECT "position", "id", "naming_authority_id", "identifier_id", "version", "kind", "client", "key_id", "at", "patch"
FROM "first_event";
