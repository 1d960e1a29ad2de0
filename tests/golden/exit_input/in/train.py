from gpugate_record import Recorder
