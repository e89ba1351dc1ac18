"""A client of the Python SDK: lists, evaluates, discovers, calls by name; prints what came of it as one line of JSON.

client.py MODE URL TOKEN      over HTTP
client.py MODE - COMMAND …    over stdio
"""

import asyncio
import json
import os
import sys

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client


def text(result):
    return result.content[0].text


async def talk(client):
    tools = await client.list_tools()
    title = await client.call_tool("eye", {"expr": "document.title"})
    found = await client.call_tool("mcp_discover", {"query": "add"})
    added = await client.call_tool("mcp_call", {"name": "add", "arguments": {"a": 1, "b": 2}, "select": "$.sum"})
    said = {
        "names": [tool.name for tool in tools.tools],
        "title": text(title),
        "found": text(found),
        "sum": text(added),
    }
    print(json.dumps(said))


async def main():
    mode, where, *rest = sys.argv[1:]
    if where == "-":
        server = StdioServerParameters(command=rest[0], args=rest[1:], env=dict(os.environ), cwd=os.getcwd())
        async with Client(server, mode=mode) as client:
            await talk(client)
        return
    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {rest[0]}"}) as http:
        async with Client(streamable_http_client(where, http_client=http), mode=mode) as client:
            await talk(client)


asyncio.run(main())
