import 'cutis/markers_worker';
