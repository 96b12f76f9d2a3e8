"""Runs `webhook_queries.sql`, row to model."""

from uuid import UUID

from fullhouse.kit import sql
from fullhouse.messaging.webhook_model import Delivery, DueAgain, Tried, Webhook

statements = sql.load(__file__)

insert_webhook = statements.one("insert_webhook", Webhook)
webhook_by_id = statements.one("webhook_by_id", Webhook)
lock_webhook = statements.one("lock_webhook", Webhook)
update_webhook = statements.one("update_webhook", Webhook)
rotate_secret = statements.one("rotate_secret", Webhook)
delete_webhook = statements.count("delete_webhook")
list_webhooks = statements.many("list_webhooks", Webhook)
note_success = statements.count("note_success")
note_failure = statements.one("note_failure", Webhook)
give_up = statements.one("give_up", Webhook)

wanting = statements.value("wanting", list[UUID])
insert_deliveries = statements.value("insert_deliveries", list[UUID])
insert_test = statements.count("insert_test")
lock_tried = statements.one("lock_tried", Tried)
claim = statements.count("claim")
finish = statements.one("finish", Delivery)
lock_delivery = statements.one("lock_delivery", Delivery)
ask_again = statements.one("ask_again", Delivery)
ask_failed_again = statements.many("ask_failed_again", DueAgain)
list_deliveries = statements.many("list_deliveries", Delivery)
owners = statements.value("owners", list[str])
FORGET = statements.texts["forget_deliveries"]
