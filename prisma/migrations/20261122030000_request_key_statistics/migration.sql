-- One bulk load gives tens of thousands of rows the same key. By these statistics the planner expects as many rows for every other
-- key, and reads the whole table for a key that has none. What is looked up is nearly always a key of few rows.

ALTER TABLE "identifier"
    ALTER COLUMN "request_key" SET (n_distinct = -1),
    ALTER COLUMN "reservation" SET (n_distinct = -1);
ALTER TABLE "request" ALTER COLUMN "key" SET (n_distinct = -1);
ALTER TABLE "request_part" ALTER COLUMN "key" SET (n_distinct = -1);

-- The setting counts from the next ANALYZE on. There is none here: of an analyzed empty table the planner would expect no rows,
-- and sessions would keep plans that read all of it.
