// Availability schedules and busy times of users, of the public service.
import { z } from 'zod';
import { userOfOrganizationMessage } from '#schemas/errors.ts';
import { limits } from '#schemas/limits.ts';
import { busyTimesQuery } from '#schemas/list-query.ts';
import {
  availabilityScheduleList,
  availabilityScheduleResource,
  busyTimeList,
} from '#schemas/resources/availability.ts';
import type { UserResource } from '#schemas/resources/user.ts';
import { uri } from '#schemas/wire.ts';
import { denied, invalid } from '#src/http/http-error.ts';
import { dayMs } from '#src/sandbox/clock.ts';
import { busyTimes, scheduleOf } from '#src/sandbox/world/availability.ts';
import { found } from '#src/sandbox/world/service.ts';
import type { CallContext } from './permissions.ts';
import { define, get } from './service-operation.ts';

const scopes = ['availability:read'] as const;

export const availabilityOperations = [
  define({
    id: 'listUserAvailabilitySchedules',
    method: 'GET',
    path: '/user_availability_schedules',
    summary: 'The availability schedules of a user',
    scopes,
    query: z.strictObject({ user: uri }),
    answers: 'object',
    schema: availabilityScheduleList,
    run: (call) => ({ collection: [scheduleOf(call.service, demandColleague(call, call.query.user))] }),
  }),
  get('getUserAvailabilitySchedule', '/user_availability_schedules/{uuid}', {
    summary: 'One availability schedule',
    scopes,
    schema: availabilityScheduleResource,
    run(call) {
      const owner = call.service.state.users.values().find((user) => scheduleOf(call.service, user).uri === call.uri);
      return scheduleOf(call.service, demandColleague(call, found(owner, 'availability schedule').uri));
    },
  }),
  define({
    id: 'listUserBusyTimes',
    method: 'GET',
    path: '/user_busy_times',
    summary: 'When a user is busy, within at most 7 days',
    scopes,
    query: busyTimesQuery,
    answers: 'object',
    schema: busyTimeList,
    run(call) {
      const { user, start_time, end_time } = call.query;
      const { uri: host } = demandColleague(call, user);
      const span = { fromMs: Date.parse(start_time), toMs: Date.parse(end_time) };
      const { busyTimesDays: days } = limits;
      if (span.toMs <= span.fromMs)
        throw invalid({ message: 'expected a time after start_time', parameter: 'end_time' });
      if (span.toMs - span.fromMs > days * dayMs)
        throw invalid({ message: `expected at most ${days} days after start_time`, parameter: 'end_time' });
      return { collection: busyTimes(call.service.state, host, span) };
    },
  }),
];

function demandColleague({ service, caller }: CallContext, named: string): UserResource {
  const user = found(service.state.users.get(named), 'user', 'user');
  if (user.current_organization !== caller.organization.uri) throw denied(userOfOrganizationMessage);
  return user;
}
