-- Before anybody has analysed a table, its planner takes any index that begins with the organisation for as good as the
-- right one. In a new house's first minutes every hold was then counted by reading all holds: an index that begins with
-- the id is only taken for an id.
ALTER TABLE seat_holds DROP CONSTRAINT seat_holds_pkey, ADD PRIMARY KEY (id, organization_id);
