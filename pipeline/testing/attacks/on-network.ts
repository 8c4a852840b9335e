import { attack } from './attack.ts';

const SEND_UDP = `
  const socket = dgram.createSocket('udp4');
  await new Promise((resolve) => socket.send('x', target.udpPort, '127.0.0.1', resolve));`;

export const ATTACKS_ON_THE_NETWORK = [
  attack(
    'net.connect',
    'network reached',
    `const { connect } = await import('node:net'); connect(target.tcpPort, '127.0.0.1');`,
  ),
  attack(
    'a Unix socket',
    'network reached',
    `const { connect } = await import('node:net'); connect(target.unixSocket);`,
  ),
  attack(
    'the class of standard output',
    'network reached',
    `new process.stdout.constructor().connect(target.tcpPort, '127.0.0.1');`,
  ),
  attack(
    'fetch',
    'network reached',
    `fetch('http://127.0.0.1:' + target.tcpPort).catch(() => {});`,
  ),
  attack(
    'WebSocket',
    'network reached',
    `new WebSocket('ws://127.0.0.1:' + target.tcpPort).onerror = () => {};`,
  ),
  attack(
    'http.get',
    'network reached',
    `const { get } = await import('node:http'); get('http://127.0.0.1:' + target.tcpPort).on('error', () => {});`,
  ),
  attack(
    'tls.connect',
    'network reached',
    `const { connect } = await import('node:tls'); connect(target.tcpPort, '127.0.0.1').on('error', () => {});`,
  ),
  attack('dgram', 'network reached', `const dgram = await import('node:dgram'); ${SEND_UDP}`),
  attack(
    'dgram by require()',
    'network reached',
    `const { createRequire } = await import('node:module');
    const dgram = createRequire(import.meta.url)('dgram'); ${SEND_UDP}`,
  ),
  attack(
    'dgram by Module._load',
    'network reached',
    `const { Module } = await import('node:module');
    const dgram = Module._load('dgram'); ${SEND_UDP}`,
  ),
  attack(
    'dgram by getBuiltinModule',
    'network reached',
    `const dgram = process.getBuiltinModule('dgram'); ${SEND_UDP}`,
  ),
  attack(
    'dgram by a module hook',
    'network reached',
    `const { registerHooks } = await import('node:module');
    registerHooks({ resolve: () => ({ url: 'node:dgram', format: 'builtin', shortCircuit: true }) });
    const name = 'any'; const dgram = await import(name); ${SEND_UDP}`,
  ),
  attack(
    'dgram after prototypes were replaced',
    'network reached',
    `const { startsWith } = String.prototype;
    Array.prototype.includes = Set.prototype.has = Map.prototype.has = () => true;
    Object.prototype.dgram = true;
    String.prototype.startsWith = function (text) { return text !== 'node:' && startsWith.call(this, text); };
    const dgram = await import('node:dgram'); ${SEND_UDP}`,
  ),
  attack(
    'dns',
    'network reached',
    `const { Resolver } = await import('node:dns');
    const resolver = new Resolver({ tries: 1, timeout: 200 });
    resolver.setServers(['127.0.0.1:' + target.udpPort]);
    await new Promise((resolve) => resolver.resolve4('the-secret.example', resolve));`,
  ),
];
