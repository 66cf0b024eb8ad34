"""POST /v1/hello as its first tutorial page writes it: uvicorn fastapi_hello:app."""
from fastapi import FastAPI
from pydantic import BaseModel


class HelloRequest(BaseModel):
    greeting: str


class HelloReply(BaseModel):
    reply: str


app = FastAPI()


@app.post("/v1/hello")
async def hello(request: HelloRequest) -> HelloReply:
    return HelloReply(reply="hello " + request.greeting)
