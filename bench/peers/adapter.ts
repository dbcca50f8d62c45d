// One sync engine behind the smallest HTTP server: its own migrations, then `processWebhook` for each request, answered after it
// has written.   node bench/peers/adapter.ts NAME FOLDER DATABASE_URL PORT
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { stripeSecret } from './events.ts';

type ProcessWebhook = (payload: Buffer, signature: string | undefined) => Promise<void>;
type Constructor<Value> = new (options: object) => Value;

interface SupabaseEngine {
  runMigrations(options: object): Promise<void>;
  StripeSync: Constructor<{ processWebhook: ProcessWebhook }>;
}

interface StripeEngine {
  runMigrations(options: object): Promise<void>;
  StripeSync: { create(options: object): Promise<{ webhook: { processWebhook: ProcessWebhook } }> };
}

const [name, folder = '', databaseUrl = '', port] = process.argv.slice(2);
// The pool is as large as in the example of its README.
const common = {
  poolConfig: { connectionString: databaseUrl, max: 10 },
  stripeSecretKey: 'sk_test_bench',
  stripeWebhookSecret: stripeSecret,
};
// One engine warns of each update that it leaves out.
console.warn = () => {};

const processWebhook = name === 'supabase' ? await openSupabase() : await openStripe();
createServer(async (request, response) => {
  if (request.method !== 'POST') return void response.end();
  try {
    const payload = await buffer(request);
    await processWebhook(payload, String(request.headers['stripe-signature']));
    response.writeHead(200, { 'content-length': 0 }).end();
  } catch (error) {
    process.stderr.write(`${name}: ${String(error)}\n`);
    response.writeHead(500, { 'content-length': 0 }).end();
  }
}).listen(Number(port), '127.0.0.1');

async function openSupabase(): Promise<ProcessWebhook> {
  // Its build for `import` does not find its migrations.
  const engine: SupabaseEngine = createRequire(join(folder, 'package.json'))('@supabase/stripe-sync-engine');
  await engine.runMigrations({ databaseUrl, schema: 'stripe', logger: { info: () => {}, error: console.error } });
  const sync = new engine.StripeSync({ ...common, schema: 'stripe' });
  return (payload, signature) => sync.processWebhook(payload, signature);
}

async function openStripe(): Promise<ProcessWebhook> {
  const engine: StripeEngine = await import(
    pathToFileURL(join(folder, 'node_modules/@stripe/sync-engine/dist/index.js')).href
  );
  const openApiSpecPath = join(folder, 'customer.spec3.json');
  writeFileSync(openApiSpecPath, JSON.stringify(customerSpec()));
  await engine.runMigrations({ databaseUrl, openApiSpecPath });
  const { webhook } = await engine.StripeSync.create({ ...common, stripeAccountId: 'acct_bench' });
  return (payload, signature) => webhook.processWebhook(payload, signature);
}

/**
 * The engine makes its tables from Stripe's OpenAPI document, which it downloads. These are the properties of a customer in the
 * version it asks for (2020-08-27), so that the measurement needs no network and `customers` has the same columns.
 */
function customerSpec(): object {
  const types: Readonly<Record<string, readonly string[]>> = {
    object: ['address', 'discount', 'invoice_settings', 'metadata', 'shipping', 'sources', 'subscriptions', 'tax_ids'],
    integer: ['balance', 'created', 'next_invoice_sequence'],
    boolean: ['delinquent', 'livemode'],
    array: ['preferred_locales'],
    string: ['currency', 'description', 'email', 'id', 'invoice_prefix', 'name', 'object', 'phone', 'tax_exempt'],
  };
  const properties = Object.entries(types).flatMap(([type, names]) =>
    names.map((name) => [name, name === 'created' ? { type, format: 'unix-time' } : { type }]),
  );
  const card = { type: 'object', properties: { id: { type: 'string' } } };
  const cardOrId = { anyOf: [{ type: 'string' }, card], 'x-expansionResources': { oneOf: [card] } };
  const customer = {
    type: 'object',
    'x-resourceId': 'customer',
    properties: { ...Object.fromEntries(properties), default_source: cardOrId },
  };
  return { openapi: '3.0.0', info: { version: '2020-08-27' }, components: { schemas: { customer } } };
}
