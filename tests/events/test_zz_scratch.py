import pytest
from datetime import *
from fullhouse.events import store
from fullhouse.kit.db import APP, WORKER, connect
from tests.events.test_indexes import filled, Filled
from typing import Any

def lit(v):
    return "NULL" if v is None else str(v) if isinstance(v,int) else f"'{v}'"

async def test_x(filled, server_url):
    now=filled.now
    for label,role,name,args in [
      ("slug",APP,"event_by_slug",["show-77"]),
      ("id",APP,"event_by_id",[filled.venue_id]),
      ("list all",APP,"list_events",[None,None,None,None,None,None,51]),
      ("upcoming",APP,"list_events",[None,None,now,None,None,None,51]),
      ("upcoming+cursor",APP,"list_events",[None,None,now,None,now+timedelta(days=100),filled.venue_id,51]),
      ("venue",APP,"list_events",[None,filled.venue_id,None,None,None,None,51]),
      ("venue up",APP,"list_events",[None,filled.venue_id,now,None,None,None,51]),
      ("status",APP,"list_events",["live",None,None,None,None,None,51]),
      ("status cancelled",APP,"list_events",["cancelled",None,None,None,None,None,51]),
      ("cursor",APP,"list_events",[None,None,None,None,now+timedelta(days=300),filled.venue_id,51]),
      ("due",WORKER,"due_events",[]),
    ]:
        conn = await connect(server_url, role)
        await conn.execute("BEGIN")
        if role==APP: 
            await conn.execute(f"SELECT set_config('app.org','{filled.houses[0]}',true)")
            args=[filled.houses[0],*args]
        text=store.statements.texts[name]
        print("=====",label)
        for r in await conn.fetch("EXPLAIN ANALYZE "+text,*args): print("   ",r[0])
        for _ in range(8): await conn.fetch(text,*args)
        if args:
            await conn.execute(f"PREPARE q AS {text}")
            call=f"q({', '.join(map(lit,args))})"
            for _ in range(8): await conn.execute("EXECUTE "+call)
            print("  --- settled")
            for r in await conn.fetch("EXPLAIN EXECUTE "+call): print("   ",r[0])
        await conn.close()
