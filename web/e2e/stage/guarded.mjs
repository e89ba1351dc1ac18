// A real authorization server (npm oidc-provider) and a real MCP server (the official SDK's) that accepts only its
// tokens, in this process. JavaScript, because oidc-provider has no types.

import { createServer } from "node:http";
import { requireBearerAuth } from "@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import express from "express";
import Provider from "oidc-provider";

const SCOPES = "tools:read tools:write";

function listening(app) {
  return new Promise((resolve) => {
    const server = createServer(app);
    server.listen(0, "127.0.0.1", () => resolve({ server, port: server.address().port }));
  });
}

function mcp() {
  const server = new McpServer({ name: "guarded", version: "1" });
  server.registerTool("read", { description: "Reads a page of the wiki." }, () => ({
    content: [{ type: "text", text: "read it" }],
  }));
  server.registerTool("write", { description: "Writes a page of the wiki." }, () => ({
    content: [{ type: "text", text: "wrote it" }],
  }));
  return server;
}

/** @type {import("./guarded.d.mts").openGuarded} */
export async function openGuarded() {
  // Received requests: path and Authorization header.
  const seen = [];
  const tokens = { lifetimeS: 3600, refreshed: 0, revoked: 0 };
  const auth = await listening((request, response) => provider.callback()(request, response));
  const api = express();
  const resource = await listening(api);
  const issuer = `http://127.0.0.1:${auth.port}`;
  const url = `http://127.0.0.1:${resource.port}/mcp`;

  const provider = new Provider(issuer, {
    clients: [],
    cookies: { keys: ["one key"] },
    features: {
      registration: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_ctx, indicator) => {
          if (indicator !== url) throw new Error(`a token for ${indicator} was asked for`);
          return { scope: SCOPES, audience: indicator, accessTokenFormat: "opaque", accessTokenTTL: tokens.lifetimeS };
        },
        useGrantedResource: () => true,
      },
    },
    rotateRefreshToken: true,
    ttl: { Grant: 3600, Interaction: 600, RefreshToken: 3600, Session: 600, IdToken: 600 },
  });
  provider.on("grant.success", ({ oidc }) => {
    if (oidc.params.grant_type === "refresh_token") tokens.refreshed += 1;
  });
  provider.on("refresh_token.destroyed", () => {
    tokens.revoked += 1;
  });

  const metadata = `http://127.0.0.1:${resource.port}/.well-known/oauth-protected-resource/mcp`;
  const verifier = {
    async verifyAccessToken(token) {
      const { InvalidTokenError } = await import("@modelcontextprotocol/sdk/server/auth/errors.js");
      const found = await provider.AccessToken.find(token);
      if (found === undefined) throw new InvalidTokenError("unknown");
      const scopes = [...found.scopes];
      return { token, clientId: found.clientId, scopes, expiresAt: found.exp, resource: new URL(found.aud) };
    },
  };
  const guard = (requiredScopes) =>
    requireBearerAuth({ verifier, requiredScopes, resourceMetadataUrl: metadata, expectedResource: new URL(url) });
  const [reading, writing] = [guard(["tools:read"]), guard(["tools:write"])];

  api.use(express.json());
  api.use((request, _response, next) => {
    seen.push({ path: request.path, authorization: request.headers.authorization });
    next();
  });
  api.get("/.well-known/oauth-protected-resource/mcp", (_request, response) => {
    response.json({ resource: url, authorization_servers: [issuer], scopes_supported: ["tools:read"] });
  });
  // Another server on the same host, whose authorization server claims to be a third one.
  const lying = `http://127.0.0.1:${resource.port}/lying`;
  api.get("/.well-known/oauth-protected-resource/lying-mcp", (_request, response) => {
    response.json({ resource: `http://127.0.0.1:${resource.port}/lying-mcp`, authorization_servers: [lying] });
  });
  api.get("/.well-known/oauth-authorization-server/lying", async (_request, response) => {
    response.json(await (await fetch(`${issuer}/.well-known/openid-configuration`)).json());
  });
  api.post("/lying-mcp", (_request, response) => void response.status(401).end());
  // A server that requires no token.
  api.post(["/mcp", "/open"], (request, response, next) => {
    if (request.path === "/open") return next();
    return (request.body?.params?.name === "write" ? writing : reading)(request, response, next);
  });
  api.post(["/mcp", "/open"], async (request, response) => {
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    await mcp().connect(transport);
    await transport.handleRequest(request, response, request.body);
  });

  return {
    url,
    open: `http://127.0.0.1:${resource.port}/open`,
    lying: `http://127.0.0.1:${resource.port}/lying-mcp`,
    issuer,
    seen,
    tokens,
    async endAccess(token) {
      await (await provider.AccessToken.find(token))?.destroy();
    },
    async endRefresh(token) {
      await (await provider.RefreshToken.find(token))?.destroy();
    },
    async knowsRefresh(token) {
      return (await provider.RefreshToken.find(token)) !== undefined;
    },
    async close() {
      for (const { server } of [auth, resource]) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}
