import { TestEnvironment } from 'jest-environment-node';
import { documented } from '../fuzz/documented.js';

/** Node.js, with a `fetch` that compares each response of the service with the OpenAPI document. */
export default class DocumentedEnvironment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    this.global.fetch = documented(fetch);
  }
}
