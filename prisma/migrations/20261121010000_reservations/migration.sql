-- Reservations of many identifiers at once: each of them says which one it belongs to. What became of them is in their own
-- states and histories, so a reservation has no state that could say something else.

ALTER TABLE "identifier" ADD COLUMN "reservation" UUID;
CREATE INDEX "identifier_reservation_idx" ON "identifier" ("reservation", "id") WHERE "reservation" IS NOT NULL;

CREATE TRIGGER "identifier_reservation_kept" BEFORE UPDATE OF "reservation" ON "identifier"
    FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();
