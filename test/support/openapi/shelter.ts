import type { ServerResponse } from 'node:http';
import { type EchoBackend, type Heard, startEchoBackend } from '../backends/echoBackend.ts';
import { shelterDocument } from './shelterDocument.ts';

export interface Shelter extends EchoBackend {
  /** What it serves at `/openapi.json`; replaced, it has another ETag. */
  document: string;
  /** Requests for the document, and of operations. */
  documents(): readonly Heard[];
  operations(): readonly Heard[];
}

/** A real HTTP API that describes itself, keeps what it was sent, and answers each operation in its own way. */
export async function startShelter(): Promise<Shelter> {
  const backend = await startEchoBackend();
  const isDocument = (it: Heard) => it.path.startsWith('/openapi.');
  const shelter: Shelter = Object.assign(backend, {
    document: JSON.stringify(shelterDocument({ servers: [{ url: '/v1' }] })),
    documents: () => backend.heard.filter(isDocument),
    operations: () => backend.heard.filter((it) => !isDocument(it)),
  });
  backend.answer = (heard, response) =>
    isDocument(heard) ? serveDocument(heard, response, shelter.document) : serveOperation(heard, response);
  return shelter;
}

function serveDocument(heard: Heard, response: ServerResponse, document: string): void {
  const etag = `"${document.length}-${document.slice(0, 40).length}"`;
  if (heard.headers['if-none-match'] === etag) response.writeHead(304).end();
  else response.writeHead(200, { 'content-type': 'application/json', etag }).end(document);
}

const send = (response: ServerResponse, status: number, type: string, body: string | Buffer) =>
  void response.writeHead(status, { 'content-type': type }).end(body);

function serveOperation(heard: Heard, response: ServerResponse): void {
  const path = heard.path.split('?')[0] ?? '';
  const json = (status: number, body: unknown) => send(response, status, 'application/json', JSON.stringify(body));
  if (path === '/v1/pets/missing') json(404, { error: 'no such pet' });
  else if (path === '/v1/pets/broken') send(response, 500, 'text/plain', 'out of order');
  else if (path === '/v1/pets/moved') response.writeHead(302, { location: 'http://169.254.169.254/' }).end();
  else if (path === '/v1/pets/gone') response.writeHead(204).end();
  else if (path === '/v1/pets/photo') send(response, 200, 'image/png', Buffer.from([137, 80, 78, 71]));
  else if (path === '/v1/pets/zip') send(response, 200, 'application/zip', Buffer.from([0, 1, 2]));
  else if (path === '/v1/pets/huge') send(response, 200, 'text/plain', Buffer.alloc(4_000_001, 'x'));
  else if (path === '/v1/pets' && heard.method === 'GET') json(200, [{ name: 'Tom' }]);
  else json(200, { method: heard.method, path: heard.path, body: heard.body.toString() });
}
