import 'cutis/worker';
