-- How many identifiers of a naming authority are reserved or withdrawn is counted by the index alone. Mints of active
-- identifiers, nearly all of them, do not touch it.
CREATE INDEX "identifier_inactive_authority_idx" ON "identifier" ("naming_authority", "state", "lease_until") WHERE "state" <> 'active';
