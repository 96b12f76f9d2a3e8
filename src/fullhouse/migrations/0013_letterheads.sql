-- How an organisation writes.

-- Whose name stands in "From" (unset: the organisation's) and where answers go (unset: its contact address).
ALTER TABLE organization_settings
    ADD COLUMN mail_sender_name text CHECK (length(mail_sender_name) BETWEEN 1 AND 120),
    ADD COLUMN mail_reply_to    text CHECK (length(mail_reply_to) BETWEEN 3 AND 254 AND mail_reply_to LIKE '%_@_%');
