// The script of a client on Node (../README.md): steps from standard input, one line of output for each.
//
// A client is an object of request(route, data, on), stream(route, data, credit, on) and channel(route, items, credit, on),
// which return { request(n), cancel() } and call on.next(buffer), on.done() and on.failed(error); fnf(route, data),
// push(route, data); and code(error), which is undefined for what was no error frame.
'use strict';
const crypto = require('crypto');
const readline = require('readline');
const { pattern } = require('./service');

const PATIENCE = 60000;
const UNBOUNDED = 0x7fffffff;

function parse(line) {
  const [kind, route, spec, ...rest] = line.split(' ');
  const options = Object.fromEntries(rest.map((o) => o.split('=')));
  return { kind, route, data: data(spec), options, number: (name, otherwise) => Number(options[name] ?? otherwise) };
}

// In text a blank is written as an underscore.
function data(spec) {
  if (spec === '-') return Buffer.alloc(0);
  if (spec.startsWith('size:')) return pattern(Number(spec.slice(5)));
  if (spec.startsWith('hex:')) return Buffer.from(spec.slice(4), 'hex');
  return Buffer.from(spec.slice(5).replace(/_/g, ' '));
}

// collect reads to the end, to an error, or takes some items and cancels.
function collect(client, start, step) {
  const credit = step.number('credit', UNBOUNDED);
  const take = step.number('take', Infinity);
  const hash = crypto.createHash('sha256');
  let items = 0;
  let bytes = 0;
  return new Promise((resolve) => {
    let call;
    const next = (b) => {
      items++;
      bytes += b.length;
      hash.update(b);
      if (items === take) {
        call.cancel();
        resolve(`cancelled ${items}`);
      } else if (credit < UNBOUNDED && items % credit === 0) call.request(credit);
    };
    const done = () => resolve(`ok ${items} ${bytes} ${hash.digest('hex').slice(0, 8)}`);
    const failed = (e) => resolve(failure(client, items, e));
    call = start(credit, { next, done, failed });
  });
}

function failure(client, items, e) {
  const code = client.code(e);
  if (code === undefined) return `closed ${e.message}`;
  return `failed ${items} 0x${code.toString(16)} ${e.message}`;
}

const sync = (client) => collect(client, (_, on) => client.request('echo', Buffer.from('sync'), on), parse('request echo -'));

// tell gives the reply as text.
function tell(client, step) {
  return new Promise((resolve) => {
    const said = [];
    client.request(step.route, step.data, {
      next: (b) => said.push(b),
      done: () => resolve(`ok ${Buffer.concat(said)}`),
      failed: (e) => resolve(failure(client, 0, e)),
    });
  });
}

// flood starts calls that are not answered, waits until the server has them, cancels all and waits for that too.
async function flood(client, step, count, result) {
  const ended = [];
  const on = { next: () => ended.push('an answer'), done: () => ended.push('the end'), failed: (e) => ended.push(e.message) };
  const open = [];
  for (let i = 0; i < count; i++) {
    open.push(step.options.model === 'stream'
      ? client.stream(step.route, step.data, 1, on)
      : client.request(step.route, step.data, on));
  }
  await sync(client);
  for (const call of open) call.cancel();
  await sync(client);
  return ended.length ? `closed ${ended.length} of them ended: ${ended[0]}` : result;
}

function burst(client, step) {
  const count = step.number('count', 1);
  let started = 0;
  let items = 0;
  let bytes = 0;
  return new Promise((resolve) => {
    const on = {
      next: (b) => { bytes += b.length; },
      done: () => {
        if (++items === count) resolve(`ok ${items} ${bytes} -`);
        else if (started < count) start();
      },
      failed: (e) => resolve(failure(client, items, e)),
    };
    const start = () => {
      started++;
      client.request(step.route, step.data, on);
    };
    for (let i = Math.min(count, step.number('window', count)); i > 0; i--) start();
  });
}

async function carryOut(client, step) {
  switch (step.kind) {
    case 'request':
      return collect(client, (_, on) => client.request(step.route, step.data, on), step);
    case 'tell':
      return tell(client, step);
    case 'stream':
      return collect(client, (credit, on) => client.stream(step.route, step.data, credit, on), step);
    case 'channel': {
      const items = Array(step.number('count', 1)).fill(step.data);
      return collect(client, (credit, on) => client.channel(step.route, items, credit, on), step);
    }
    case 'fnf':
      await client.fnf(step.route, step.data);
      return 'sent';
    case 'push':
      await client.push(step.route, step.data);
      return 'sent';
    case 'cancel':
      return flood(client, step, 1, 'cancelled 0');
    case 'flood':
      return flood(client, step, step.number('count', 1), `cancelled ${step.number('count', 1)}`);
    case 'burst':
      return burst(client, step);
    case 'idle':
      await new Promise((resolve) => setTimeout(resolve, Number(step.data)));
      return 'idle';
    default:
      return `closed no kind of step is called ${step.kind}`;
  }
}

async function said(client, step) {
  let timer;
  const late = new Promise((resolve) => { timer = setTimeout(() => resolve('timeout'), PATIENCE); });
  try {
    return await Promise.race([carryOut(client, step), late]);
  } catch (e) {
    return `closed ${e.message}`;
  } finally {
    clearTimeout(timer);
  }
}

async function script(client) {
  let number = 0;
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const told = await said(client, parse(line));
    console.log(`${++number} ${told}`);
    if (told === 'timeout') process.exit(1);
  }
}

// address reads the command line: URL [OPTION=VALUE…].
function address() {
  const [url, ...rest] = process.argv.slice(2);
  return { url: new URL(url), options: Object.fromEntries(rest.map((o) => o.split('='))) };
}

module.exports = { script, address };
