"""Runs `webhook_queries.sql`, row to model."""

from uuid import UUID

from fullhouse.kit import sql
from fullhouse.messaging import webhook_queries
from fullhouse.messaging.webhook_model import Delivery, DueAgain, Tried, Webhook

insert_webhook = sql.one(webhook_queries.insert_webhook, Webhook)
webhook_by_id = sql.one(webhook_queries.webhook_by_id, Webhook)
lock_webhook = sql.one(webhook_queries.lock_webhook, Webhook)
update_webhook = sql.one(webhook_queries.update_webhook, Webhook)
rotate_secret = sql.one(webhook_queries.rotate_secret, Webhook)
delete_webhook = sql.count(webhook_queries.delete_webhook)
list_webhooks = sql.many(webhook_queries.list_webhooks, Webhook)
note_success = sql.count(webhook_queries.note_success)
note_failure = sql.one(webhook_queries.note_failure, Webhook)
give_up = sql.one(webhook_queries.give_up, Webhook)

wanting = sql.value(webhook_queries.wanting, list[UUID])
insert_deliveries = sql.value(webhook_queries.insert_deliveries, list[UUID])
insert_test = sql.count(webhook_queries.insert_test)
lock_tried = sql.one(webhook_queries.lock_tried, Tried)
claim = sql.count(webhook_queries.claim)
finish = sql.one(webhook_queries.finish, Delivery)
lock_delivery = sql.one(webhook_queries.lock_delivery, Delivery)
ask_again = sql.one(webhook_queries.ask_again, Delivery)
ask_failed_again = sql.many(webhook_queries.ask_failed_again, DueAgain)
list_deliveries = sql.many(webhook_queries.list_deliveries, Delivery)
owners = sql.value(webhook_queries.owners, list[str])
FORGET = sql.text(webhook_queries.forget_deliveries)
