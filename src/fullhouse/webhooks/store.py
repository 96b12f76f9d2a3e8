"""Runs `queries.sql`, row to model."""

from uuid import UUID

from fullhouse.kit.db import sql
from fullhouse.webhooks import queries
from fullhouse.webhooks.model import Delivery, DueAgain, Tried, Webhook

insert_webhook = sql.one(queries.insert_webhook, Webhook)
webhook_by_id = sql.one(queries.webhook_by_id, Webhook)
lock_webhook = sql.one(queries.lock_webhook, Webhook)
update_webhook = sql.one(queries.update_webhook, Webhook)
rotate_secret = sql.one(queries.rotate_secret, Webhook)
delete_webhook = sql.count(queries.delete_webhook)
list_webhooks = sql.many(queries.list_webhooks, Webhook)
note_success = sql.count(queries.note_success)
note_failure = sql.one(queries.note_failure, Webhook)
give_up = sql.one(queries.give_up, Webhook)

filters_of_webhooks = sql.value(queries.filters_of_webhooks, list[str])
wanting = sql.value(queries.wanting, list[UUID])
insert_deliveries = sql.value(queries.insert_deliveries, list[UUID])
insert_test = sql.count(queries.insert_test)
lock_tried = sql.one(queries.lock_tried, Tried)
claim = sql.count(queries.claim)
finish = sql.one(queries.finish, Delivery)
lock_delivery = sql.one(queries.lock_delivery, Delivery)
ask_again = sql.one(queries.ask_again, Delivery)
ask_failed_again = sql.many(queries.ask_failed_again, DueAgain)
list_deliveries = sql.many(queries.list_deliveries, Delivery)
owners = sql.value(queries.owners, list[str])
FORGET = sql.text(queries.forget_deliveries)
