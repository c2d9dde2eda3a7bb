"""The process that keeps one agent, its fork server, and the engine's side of both. Standard library only: no asyncio, no pydantic, no orjson, no Qt."""
