/**
 * A part of `WITH` of each statement that takes a position. Its lock on an empty table, until the end of the transaction, is what a
 * raise of the offset waits for: it is taken before the statement reads the offset, and conflicts with nothing else. A lock of the
 * tables of events would wait for VACUUM and ANALYZE. With DELETE, a generic plan would not take the lock.
 */
export const POSITION_GATE = 'position_gate_lock AS (UPDATE position_gate SET id = id WHERE false)';
