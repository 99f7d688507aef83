/** Content negotiation (R4.4, R4.5, R4.8): accepted and returned types, and rejection of others before any effect. */
import { play, served } from "./scenario.ts";
import type { Scenario } from "./scenario.ts";
import { addTool, aTool, once, people, toolLibrary } from "./tool-library.ts";

served("media types", toolLibrary, (subject) => {
  const who = people(subject);
  const accepts = (accept: string, status: number): Scenario => ({
    name: `R4.4 Accept: ${accept} is ${status}`,
    send: () => ({ method: "GET", path: "/tools", headers: { ...who.member, Accept: accept } }),
    status,
    ...(status === 406
      ? { code: "not-acceptable", has: { offered: ["application/json"] }, lacks: ['"items"'] }
      : { headers: { "Content-Type": "application/json" } }),
  });
  const sends = (type: string, status: number): Scenario => ({
    name: `R4.5 Content-Type: ${type} is ${status}`,
    send: () => ({
      method: "POST",
      path: "/tools",
      headers: { ...who.member, ...once(), "Content-Type": type },
      body: JSON.stringify(aTool()),
    }),
    status,
    ...(status === 415
      ? { code: "unsupported-media", headers: { Accept: "application/json", "Accept-Patch": null } }
      : {}),
  });
  const patches = (type: string, status: number): Scenario => ({
    name: `R4.8 PATCH with ${type} is ${status}`,
    send: async () => {
      const tool = await addTool(subject, who.member);
      return {
        method: "PATCH",
        path: tool.path,
        headers: { ...who.member, ...once(), "If-Match": tool.tag, "Content-Type": type },
        body: JSON.stringify({ price: 2 }),
      };
    },
    status,
    ...(status === 415
      ? {
          code: "unsupported-media",
          headers: {
            Accept: "application/merge-patch+json, application/json",
            "Accept-Patch": "application/merge-patch+json, application/json",
          },
        }
      : { has: { price: 2 } }),
  });
  const coded = (coding: string, status: number): Scenario => ({
    name: `R4.5 Content-Encoding: ${coding} is ${status}`,
    send: () => ({
      method: "POST",
      path: "/tools",
      headers: { ...who.member, ...once(), "Content-Type": "application/json", "Content-Encoding": coding },
      body: JSON.stringify(aTool()),
    }),
    status,
    ...(status === 415 ? { code: "unsupported-media", headers: { "Accept-Encoding": "identity" } } : {}),
  });

  play(subject, [
    accepts("application/json", 200),
    accepts("*/*", 200),
    accepts("application/*", 200),
    accepts("APPLICATION/JSON", 200),
    accepts("application/json; charset=utf-8", 200),
    accepts("text/html, application/json;q=0.1", 200),
    accepts("text/html, */*;q=0.1", 200),
    accepts("text/html", 406),
    accepts("application/xml, text/*", 406),
    accepts("application/json;q=0", 406),
    accepts("application/json;q=0, */*", 406),
    accepts("application/json;q=0.0", 406),
    accepts("*/*;q=0", 406),
    accepts("application/jsonp", 406),
    accepts("json", 406),
    accepts("", 200),
    {
      name: "R4.4 problem+json is given to whoever asked for something else",
      send: { method: "GET", path: "/tools", headers: { Accept: "text/html" } },
      status: 401,
      headers: { "Content-Type": "application/problem+json" },
    },
    {
      name: "R4.23 a range is not served: the whole is",
      send: () => ({ method: "GET", path: "/tools", headers: { ...who.member, Range: "bytes=0-1" } }),
      status: 200,
      headers: { "Content-Range": null },
      has: { next: null },
    },
    {
      name: "R4.4 health is for everybody, whatever they accept",
      send: { method: "GET", path: "/livez", headers: { Accept: "text/plain" } },
      status: 200,
    },
    sends("application/json", 201),
    sends("Application/JSON", 201),
    sends("application/json; charset=utf-8", 201),
    sends("application/json;charset=UTF-8", 201),
    sends('application/json; charset="utf-8"', 201),
    sends("application/json; profile=x", 201),
    sends("application/json; charset=iso-8859-1", 415),
    sends("application/json; charset=utf-16", 415),
    sends("application/json; charset=us-ascii; charset=utf-8", 415),
    sends("text/plain", 415),
    sends("text/json", 415),
    sends("application/x-www-form-urlencoded", 415),
    sends("multipart/form-data; boundary=x", 415),
    sends("application/problem+json", 415),
    sends("application/merge-patch+json", 415),
    sends("application/json, application/json", 415),
    sends("json", 415),
    sends("", 415),
    {
      name: "R4.5 no Content-Type is 415",
      send: () => ({
        method: "POST",
        path: "/tools",
        headers: { ...who.member, ...once() },
        body: JSON.stringify(aTool()),
      }),
      status: 415,
      headers: { Accept: "application/json" },
    },
    {
      name: "R4.5 also without any body",
      send: () => ({ method: "POST", path: "/tools", headers: { ...who.member, ...once() } }),
      status: 415,
    },
    {
      name: "R4.5 two Content-Types are 415",
      send: () =>
        `POST /tools HTTP/1.1\r\nHost: x\r\nAuthorization: ${who.member.Authorization}\r\nIdempotency-Key: two\r\nContent-Type: application/json\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}`,
      status: 415,
    },
    patches("application/merge-patch+json", 200),
    patches("application/json", 200),
    patches("application/json-patch+json", 415),
    patches("text/plain", 415),
    coded("identity", 201),
    coded("gzip", 415),
    coded("br", 415),
    coded("identity, gzip", 415),
    {
      name: "R4.5 an action that takes nothing needs no Content-Type",
      send: async () => {
        const tool = await addTool(subject, who.member);
        return { method: "POST", path: `${tool.path}/retire`, headers: { ...who.member, ...once() } };
      },
      status: 204,
    },
    {
      name: "R4.5 but if it is sent something, that is JSON",
      send: async () => {
        const tool = await addTool(subject, who.member);
        return {
          method: "POST",
          path: `${tool.path}/retire`,
          headers: { ...who.member, ...once(), "Content-Type": "text/plain" },
          body: "now",
        };
      },
      status: 415,
    },
  ]);
});
