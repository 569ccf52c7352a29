-- The rights of the roles "mintmark_service" and "mintmark_reader", which docs/how-to/use-your-own-postgresql.md creates. The owner of
-- the tables runs this in their database, after the first start and again after each version with a migration:
--
--   psql --set=ON_ERROR_STOP=1 --single-transaction --file=roles.sql postgresql://mintmark@localhost/mintmark
--
-- Where the tables are in another schema than "public", replace "public".

GRANT USAGE ON SCHEMA public TO mintmark_service, mintmark_reader;
-- In a database of PostgreSQL 14, every role may create tables. The schema belongs to a superuser there, who repeats this line.
REVOKE CREATE ON SCHEMA public FROM PUBLIC;

-- Both roles read every table and view, also those that this owner creates later.
GRANT SELECT ON ALL TABLES IN SCHEMA public TO mintmark_service, mintmark_reader;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO mintmark_service, mintmark_reader;

-- Rows of these tables are never changed.
GRANT INSERT ON change, cursor_secret, request, request_part TO mintmark_service;
GRANT INSERT, UPDATE ON api_key, identifier, naming_authority TO mintmark_service;
GRANT INSERT, DELETE ON alternate_identifier, handle_user TO mintmark_service;
-- A statement that takes a position names the gate as one that it updates, and a raise of the positions locks it.
GRANT UPDATE ON change_offset, position_gate TO mintmark_service;
-- A start raises sequences that are behind, which needs UPDATE; mints need UPDATE or USAGE.
GRANT SELECT, UPDATE ON SEQUENCE identifier_id_seq, naming_authority_id_seq TO mintmark_service;
