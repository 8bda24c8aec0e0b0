import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { histogramLines, metricsText } from '../../../../../sidecar/gateway/http/metrics.ts';

describe('the text of metrics', () => {
  it('has labels in which backslashes, quotes and line ends are escaped', () => {
    const values = () => [[{ server: 'a\\b"c\nd', empty: '' }, 2]] as const;
    assert.equal(
      metricsText([{ name: 'calls', help: 'Calls.', type: 'counter', values }]),
      '# HELP calls Calls.\n# TYPE calls counter\ncalls{server="a\\\\b\\"c\\nd",empty=""} 2\n',
    );
  });
  it('has no braces where there are no labels, and a head for a metric without values', () => {
    assert.equal(
      metricsText([
        { name: 'one', help: 'One.', type: 'gauge', values: () => [[{}, 1]] },
        { name: 'none', help: 'None.', type: 'counter', values: () => [] },
      ]),
      '# HELP one One.\n# TYPE one gauge\none 1\n# HELP none None.\n# TYPE none counter\n',
    );
  });
  it('counts in each bound of a histogram what is in those below it', () => {
    const values = () => histogramLines({ server: 'a' }, [1, 5], [2, 1, 4], 60);
    assert.deepEqual(
      metricsText([{ name: 'time', help: 'Time.', type: 'histogram', values }])
        .split('\n')
        .slice(2, -1),
      [
        'time_bucket{server="a",le="1"} 2',
        'time_bucket{server="a",le="5"} 3',
        'time_bucket{server="a",le="+Inf"} 7',
        'time_sum{server="a"} 60',
        'time_count{server="a"} 7',
      ],
    );
  });
});
