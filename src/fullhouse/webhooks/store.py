"""Runs `queries.sql`, row to model."""

from uuid import UUID

from fullhouse.kit.db import sql
from fullhouse.webhooks import queries
from fullhouse.webhooks.model import Delivery, DeliveryAttempt, ScheduledRedelivery, Webhook

insert_webhook = sql.one(queries.insert_webhook, Webhook)
find_webhook = sql.one(queries.find_webhook, Webhook)
lock_webhook = sql.one(queries.lock_webhook, Webhook)
update_webhook = sql.one(queries.update_webhook, Webhook)
rotate_secret = sql.one(queries.rotate_secret, Webhook)
delete_webhook = sql.count(queries.delete_webhook)
list_webhooks = sql.many(queries.list_webhooks, Webhook)
record_success = sql.count(queries.record_success)
record_failure = sql.one(queries.record_failure, Webhook)
disable_webhook = sql.one(queries.disable_webhook, Webhook)

list_filters = sql.value(queries.list_filters, list[str])
list_subscribed = sql.value(queries.list_subscribed, list[UUID])
insert_deliveries = sql.value(queries.insert_deliveries, list[UUID])
insert_test_delivery = sql.count(queries.insert_test_delivery)
lock_attempt = sql.one(queries.lock_attempt, DeliveryAttempt)
claim_delivery = sql.count(queries.claim_delivery)
finish_attempt = sql.one(queries.finish_attempt, Delivery)
lock_delivery = sql.one(queries.lock_delivery, Delivery)
reset_delivery = sql.one(queries.reset_delivery, Delivery)
reset_failed_deliveries = sql.many(queries.reset_failed_deliveries, ScheduledRedelivery)
list_deliveries = sql.many(queries.list_deliveries, Delivery)
list_owner_emails = sql.value(queries.list_owner_emails, list[str])
DELETE_OLD_DELIVERIES = sql.text(queries.delete_old_deliveries)
