import { promisedBy } from '../promised.ts';
import { document } from './document.ts';

export const service = promisedBy(`${document}, What the service does`, {
  'host.service.json-rpc': 'The host runs agent sessions and exposes their state to clients over JSON-RPC 2.0.',
  'host.service.channels': 'State is organised in channels, each identified by a URI.',
  'host.service.snapshot': 'initialize, reconnect and subscribe answer point-in-time snapshots of channels.',
  'host.service.after-snapshot': 'After a snapshot a client gets the operations whose serverSeq is above its fromSeq.',
  'host.service.uri-root': 'The root channel is host-root://.',
  'host.service.uri-session': 'A session channel is host-session:/<uuid>.',
  'host.service.uri-chat': 'A chat channel is host-chat:/<uuid>.',
  'host.service.uri-annotations': 'The annotations of a session are host-session:/<uuid>/annotations.',
  'host.service.root-shared':
    'The root carries the state that all subscribers share: agents, the count of active sessions, terminals, configuration.',
  'host.service.catalogue': 'The root carries a catalogue of sessions.',
  'host.service.session-holds':
    'A session holds chats, tools, active clients, customizations, changesets and pending input requests.',
  'host.service.static-capabilities':
    'Each agent declares static capabilities: multiple chats, fork, side chat, multiple working directories.',
  'host.service.gated': 'Clients gate features on capabilities, not on the id of the provider.',
});
