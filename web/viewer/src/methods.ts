/** What can be seen side by side. */
import type {Options} from 'cutis';

export interface Method {
  key: string;
  label: string;
  options: Options;
}

export const kMethods: Method[] = [
  {key: 'lbs', label: 'Linear blend', options: {method: 'lbs'}},
  {key: 'dqs', label: 'Dual quaternion', options: {method: 'dqs'}},
  {key: 'implicit', label: 'Implicit', options: {method: 'implicit', contact_pass: false}},
  {key: 'tracking', label: 'Tracking', options: {method: 'tracking', contact_pass: false}},
  {key: 'contact', label: 'Tracking + contact', options: {method: 'tracking', contact_pass: true}},
];

/** Linear blending and dual quaternions know nothing of fields. */
export function followsPreset(method: Method): boolean { return method.key !== 'lbs' && method.key !== 'dqs'; }
