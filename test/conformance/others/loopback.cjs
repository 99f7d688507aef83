/**
 * Loaded into a tested server before its own code, by `--require`: whatever address the server chooses, it listens on 127.0.0.1 alone.
 * Some servers have no setting for that, and nobody else may reach them while they are tested.
 */
"use strict";
// Also old versions of Node.js run this file.
const { Server } = require("net");

// eslint-disable-next-line typescript/unbound-method -- it is called with the server as `this`
const { listen } = Server.prototype;

Server.prototype.listen = function listenOnLoopback(...args) {
  const [first] = args;
  const callback = args.filter((one) => typeof one === "function")[0];
  const isOptions = typeof first === "object" && first !== null;
  const port = isOptions ? first.port : first;
  // A path, a handle or a descriptor is no address of the network.
  if (port === undefined || Number.isNaN(Number(port))) return listen.apply(this, args);
  const options = Object.assign({}, isOptions ? first : {}, { port: Number(port), host: "127.0.0.1" });
  return listen.call(this, options, ...(callback === undefined ? [] : [callback]));
};
