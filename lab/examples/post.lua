-- What wrk sends to the comparison of net/http and FastAPI.
wrk.method = "POST"
wrk.body = '{"greeting":"Ada"}'
wrk.headers["Content-Type"] = "application/json"
