import type { Runtime } from '../../../platform/runtime.ts';
import type { Surface } from '../../routing/route.ts';
import type { Accounting } from '../accounting.ts';
import type { OtlpOptions } from './otlpOptions.ts';

export interface ExportDeps {
  readonly runtime: Pick<Runtime, 'clock' | 'log'>;
  readonly version: string;
  readonly accounting: Pick<Accounting, 'activity' | 'metrics'>;
  readonly surfaceOf: (template: string) => Surface;
}

/**
 * Exports calls to a collector. The exporters are large, so they are loaded only where one is configured.
 *
 * @returns sends what is left, and ends it
 */
export async function exportCalls(
  { runtime, version, accounting, surfaceOf }: ExportDeps,
  otlp: OtlpOptions,
): Promise<() => Promise<void>> {
  const { openOtlp } = await import('./otlp.ts');
  const exporter = openOtlp({
    ...otlp,
    version,
    log: runtime.log,
    monotonicMs: () => runtime.clock.monotonicMs(),
    counted: accounting.metrics,
    surfaceOf,
  });
  const stop = accounting.activity.listen((call) => exporter.ended(call));
  return async () => {
    stop();
    await exporter.close();
  };
}
