-- Money that somebody gave back at the provider itself is noted once, whoever tells of it how often.
CREATE UNIQUE INDEX refunds_ref ON refunds (organization_id, attempt_id, provider_ref) WHERE provider_ref IS NOT NULL;
