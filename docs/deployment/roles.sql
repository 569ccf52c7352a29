-- The rights of the roles "mintmark_service" and "mintmark_reader", which docs/how-to/use-your-own-postgresql.md creates. The owner of
-- the tables runs this file in their database, after the first migration and each later one:
--
--   psql --set=ON_ERROR_STOP=1 --single-transaction --file=roles.sql postgresql://mintmark@localhost/mintmark
--
-- If the tables are in another schema, replace "public".

GRANT USAGE ON SCHEMA public TO mintmark_service, mintmark_reader;
-- In a database that was upgraded from PostgreSQL 14, every role may create tables in "public"; a superuser must then run this line.
REVOKE CREATE ON SCHEMA public FROM PUBLIC;

-- Both roles may read every table and view, including those that this owner creates later.
GRANT SELECT ON ALL TABLES IN SCHEMA public TO mintmark_service, mintmark_reader;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO mintmark_service, mintmark_reader;

-- The service only inserts rows into these tables.
GRANT INSERT ON change, cursor_secret, name_rule, request, request_part TO mintmark_service;
GRANT INSERT, UPDATE ON api_key, identifier, naming_authority TO mintmark_service;
GRANT INSERT, DELETE ON alternate_identifier, handle_user TO mintmark_service;
-- Statements that take a position or write a name contain an UPDATE of no rows of position_gate; a raise of the offset and a change of
-- the rules of a naming authority lock this table.
GRANT UPDATE ON change_offset, position_gate TO mintmark_service;
-- At its start, the service raises sequences that are behind, which needs UPDATE; a mint needs UPDATE or USAGE.
GRANT SELECT, UPDATE ON SEQUENCE identifier_id_seq, naming_authority_id_seq TO mintmark_service;
