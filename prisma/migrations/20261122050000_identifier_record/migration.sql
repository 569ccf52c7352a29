-- The comparison key of an identifier: SHA-256 of its URI in the form by which names are compared. A test
-- compares it with the same function of the service.
CREATE FUNCTION "self_key"("naming_authority" text, "guid" uuid, "local_name" text, "case_insensitive" boolean) RETURNS bytea
  LANGUAGE sql STABLE PARALLEL SAFE
RETURN sha256(convert_to('hdl:' || upper("naming_authority" COLLATE "C") || '/' || CASE
  WHEN "guid" IS NOT NULL THEN upper(replace("guid"::text, '-', ''))
  WHEN "case_insensitive" OR upper("naming_authority" COLLATE "C") = '0.NA' THEN upper("local_name" COLLATE "C")
  ELSE "local_name" END, 'UTF8'));

-- Identifiers as the service represents them: with the resolver of the naming authority, whether the lease has ended (such
-- an identifier counts as withdrawn), and the objects whose metadata ID is this identifier, in order of minting.
CREATE VIEW "identifier_record" AS
SELECT i.id, i.naming_authority, i.guid, i.local_name, i.local_key, i.metadata_id, i.metadata_key, i.target, i.alternate_ids,
       i.state, i.version, i.created_at, i.updated_at, i.lease_until, i.withdrawn_at, i.withdrawal_reason, i.replaced_by,
       i.client, i.request_key, i.request_index, i.request_hash, i.reservation,
       (i.state = 'reserved' AND i.lease_until <= CURRENT_TIMESTAMP) AS expired,
       n.resolver_scheme, n.resolver_authority, n.resolver_first_segment,
       ARRAY(
         SELECT d.naming_authority || '/' || coalesce(d.local_name, upper(replace(d.guid::text, '-', '')))
         FROM "identifier" d
         WHERE d.metadata_key = "self_key"(i.naming_authority, i.guid, i.local_name, n.case_insensitive)
           AND NOT (d.state = 'reserved' AND d.lease_until <= CURRENT_TIMESTAMP)
         ORDER BY d.created_at, d.id
       ) AS describes
FROM "identifier" i JOIN "naming_authority" n ON n.prefix = i.naming_authority;
