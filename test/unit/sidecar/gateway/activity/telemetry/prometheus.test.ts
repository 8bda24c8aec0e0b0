import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  counter,
  gauge,
  histogramValues,
  type Metric,
} from '../../../../../../sidecar/gateway/activity/telemetry/metric.ts';
import { prometheusText } from '../../../../../../sidecar/gateway/activity/telemetry/prometheus.ts';

describe('the text of metrics', () => {
  /** Without those of the process. */
  async function linesOf(metrics: readonly Metric[]): Promise<readonly string[]> {
    const lines = (await prometheusText(metrics)).split('\n').filter((it) => it !== '');
    return lines.slice(0, lines.indexOf('# HELP process_cpu_user_seconds_total Total user CPU time spent in seconds.'));
  }

  it('has labels in which backslashes, quotes and line ends are escaped', async () => {
    const values = () => [[{ server: 'a\\b"c\nd', empty: '' }, 2]] as const;
    assert.deepEqual(await linesOf([counter('calls', 'Calls.', values)]), [
      '# HELP calls Calls.',
      '# TYPE calls counter',
      'calls{server="a\\\\b\\"c\\nd",empty=""} 2',
    ]);
  });
  it('has no braces where there are no labels, and a head for a metric without values', async () => {
    const metrics = [gauge('one', 'One.', () => [[{}, 1]]), counter('none', 'None.', () => [])];
    assert.deepEqual(await linesOf(metrics), [
      '# HELP one One.',
      '# TYPE one gauge',
      'one 1',
      '# HELP none None.',
      '# TYPE none counter',
    ]);
  });
  it('counts in each bound of a histogram what is in those below it', async () => {
    const values = () => histogramValues({ server: 'a' }, [1, 5], [2, 1, 4], 60);
    assert.deepEqual((await linesOf([{ name: 'time', help: 'Time.', type: 'histogram', values }])).slice(2), [
      'time_bucket{server="a",le="1"} 2',
      'time_bucket{server="a",le="5"} 3',
      'time_bucket{server="a",le="+Inf"} 7',
      'time_sum{server="a"} 60',
      'time_count{server="a"} 7',
    ]);
  });
  it('has those of the process, however often it is asked for', async () => {
    for (const text of [await prometheusText([]), await prometheusText([])])
      for (const name of [
        'process_cpu_seconds_total',
        'nodejs_eventloop_lag_p99_seconds',
        'nodejs_heap_size_used_bytes',
      ])
        assert.equal(text.split('\n').filter((it) => it.startsWith(`${name} `)).length, 1, name);
  });
});
