/**
 * The sidecar's first file, which is packaged as it stands here: whoever wonders what is started, or why an old Node was
 * refused, can read it. An older Node has to be able to parse it, too.
 *
 * @param {string} main the name of the file that contains `sidecar/main.ts`
 * @param {number} builtAtMs when the files were built, which no other build shares
 */
export const sidecarEntry = (main, builtAtMs) => `#!/usr/bin/env node
// Where the sidecar begins: the host, the gateway, and what attaches a window to them. The rest of it is in files beside this
// one, which are loaded on demand. They are scripts and not modules, because V8 can keep the code of a script after it ran,
// with all functions that were called. For a module, Node keeps the code before it runs, which contains none of them, and
// compiling them again took a sixth of each start.
// Node's modules are not imported by name, because an import creates all exports of a module and few are used.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write('Switchboard needs Node 22.19 or later, and this is Node ' + process.versions.node + ' (' + process.execPath + '). Install a newer Node, or start Switchboard with one that is there.\\n');
  process.exit(1);
}
const [fs, module, os, path, vm] = ['fs', 'module', 'os', 'path', 'vm'].map((it) => process.getBuiltinModule(it));
const at = process.argv.indexOf('--data-dir');
const dataDir = at < 0 ? undefined : process.argv[at + 1];
globalThis.require = module.createRequire(import.meta.url);
// In the data directory, or in the temporary folder where none is named. Node keeps the code of what is required there.
const isNamed = dataDir && !dataDir.startsWith('-');
const user = process.getuid?.() ?? '';
const { directory: place } = module.enableCompileCache(isNamed ? path.join(dataDir, 'compile-cache') : path.join(os.tmpdir(), 'switchboard-compile-cache-' + user));
// What is kept is run, and everybody may write in the temporary folder.
const directory = place && (isNamed || isOurs(place)) ? place : undefined;
function isOurs(folder) {
  const { uid, mode } = fs.statSync(folder);
  return user === '' || (uid === user && (mode & 0o002) === 0);
}

// What is called depends on the role, so those that start often have their own code.
const [, , role, next = '-'] = process.argv;
const kind = process.argv.includes('--worker') ? 'worker' : role === 'host' || (role === 'gateway' && next.startsWith('-')) ? role : 'other';
const loaded = new Map();
let compiled = [];

const requireFrom = (name) => (name.startsWith('./chunk-') ? load(name.slice(2)) : globalThis.require(name));
function load(name) {
  if (loaded.has(name)) return loaded.get(name);
  const file = path.join(import.meta.dirname, name);
  const kept = directory && path.join(directory, [name, ${builtAtMs}, process.version, process.arch, kind].join('-'));
  const cachedData = kept && readKept(kept);
  const script = new vm.Script(fs.readFileSync(file, 'latin1'), { filename: file, cachedData });
  if (kept && (!cachedData || script.cachedDataRejected)) {
    compiled.push({ kept, script, tag: process.getBuiltinModule('v8').cachedDataVersionTag() });
  }
  script.runInThisContext()(requireFrom, (it) => loaded.set(name, it), import.meta.url);
  return loaded.get(name);
}
// Each build has code of its own. What a build that is still in use loses is compiled and kept again.
function removeOld() {
  const before = Date.now() - 30 * 24 * 60 * 60 * 1_000;
  for (const it of fs.readdirSync(directory)) {
    const kept = path.join(directory, it);
    try {
      if (fs.statSync(kept).mtimeMs < before) fs.rmSync(kept, { recursive: true });
    } catch {
      // another process removed it
    }
  }
}
// V8 does not notice damage, and crashes on it.
function readKept(path) {
  try {
    const bytes = fs.readFileSync(path);
    const code = bytes.subarray(0, -4);
    return process.getBuiltinModule('zlib').crc32(code) === bytes.readUInt32LE(code.length) ? code : undefined;
  } catch {
    return undefined; // not there yet
  }
}

/**
 * Keeps the code of what was loaded, for the next start. Does nothing if it was kept before. V8 refuses code that was kept under other
 * flags than those it is loaded under, so call this before you change any.
 */
globalThis.keepCode = () => {
  module.flushCompileCache();
  const all = compiled;
  compiled = [];
  if (all.length === 0) return;
  const tag = process.getBuiltinModule('v8').cachedDataVersionTag();
  for (const it of all) {
    if (it.tag !== tag) continue;
    const code = it.script.createCachedData();
    const sum = Buffer.alloc(4);
    sum.writeUInt32LE(process.getBuiltinModule('zlib').crc32(code));
    const fresh = it.kept + '.' + process.pid;
    try {
      fs.writeFileSync(fresh, Buffer.concat([code, sum]), { mode: 0o600 });
      fs.renameSync(fresh, it.kept);
    } catch {
      fs.rmSync(fresh, { force: true }); // the disk is full or read-only: the next start compiles again
    }
  }
  removeOld();
};

load('${main}');
`;
