-- Money that a provider refused to give back is still owed: it is tried again, or somebody pays it by another way.

-- Each try has a key of its own at the provider, which remembers its refusals too. A payment outside of the system is a
-- try as well, so that each has its own lines in the ledger.
ALTER TABLE refunds
    ADD COLUMN tries integer NOT NULL DEFAULT 1 CHECK (tries > 0),
    ADD COLUMN paid_outside text CHECK (length(paid_outside) BETWEEN 1 AND 500),   -- how, in the words of who did it
    ADD CONSTRAINT refunds_outside CHECK (paid_outside IS NULL OR status = 'done');
