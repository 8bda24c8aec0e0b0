import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import { count, duration, money, percent, price } from '../../../../media/admin/kit/format.ts';
import { money as cost, short } from '../../../../media/chat/amounts.ts';

describe('numbers in the language of the page', () => {
  const page = Object.getOwnPropertyDescriptor(globalThis, 'document');
  afterEach(() => {
    if (page) Object.defineProperty(globalThis, 'document', page);
    else Reflect.deleteProperty(globalThis, 'document');
  });

  for (const { language, shown } of [
    {
      language: '',
      shown: ['12,345', '$1,234.50', '$0.0123', '$0.125', '99.99%', '2.50 s', '1.2k', '$0.02', '1.50 EUR'],
    },
    {
      language: 'en',
      shown: ['12,345', '$1,234.50', '$0.0123', '$0.125', '99.99%', '2.50 s', '1.2k', '$0.02', '1.50 EUR'],
    },
    {
      language: 'en_US',
      shown: ['12,345', '$1,234.50', '$0.0123', '$0.125', '99.99%', '2.50 s', '1.2k', '$0.02', '1.50 EUR'],
    },
    {
      language: 'de',
      shown: ['12.345', '1.234,50 $', '0,0123 $', '0,125 $', '99,99 %', '2,50 s', '1,2k', '0,02 $', '1,50 EUR'],
    },
    {
      language: 'zh-cn',
      shown: ['12,345', '$1,234.50', '$0.0123', '$0.125', '99.99%', '2.50 s', '1.2k', '$0.02', '1.50 EUR'],
    },
  ]) {
    it(`read ${shown.join('; ')} ${language ? `in ${language}` : 'where the page names no language'}`, () => {
      const document = { documentElement: { lang: language } };
      Object.defineProperty(globalThis, 'document', { value: document, configurable: true });
      const amounts = [
        ...[count(12_345), money(1_234.5), money(0.0123), price(0.125), percent(99.99), duration(2_500), short(1_234)],
        ...[
          { amount: 0.02, currency: 'USD' },
          { amount: 1.5, currency: 'EUR' },
        ].map((it) => cost(it)),
      ];
      assert.deepEqual(
        amounts.map((it) => it.replaceAll('\u00a0', ' ')),
        shown,
      );
    });
  }
});
