# Seconds of a processor that the longest tests take, so that ctest starts them first and no core waits at the
# end. Measured by `tools/cpu_seconds --tests BUILD`, but for Page.views: a guess that puts it first (91 seconds of
# the clock on two cores). Roughly is enough. Other tests have no figure here: ctest takes what it saw in an
# earlier run.
set(test_costs
  Page.views=200 Surfaces.OneAnswer=36 cli.OfTune/EveryOption=34 Python.Package=34 cli.OfOthers/EveryOption=26
  app.TuneCorrection=22 Go.warploom=20 Python.Examples=16 Plans.HoldUnderLoad=15 Python.Seams=13
  program.Calibrate=12 cli.OfStep/EveryOption=12 cli.OfPredict/EveryOption=12 Python.Frames=11
  app.TileTableLatency=10 ceiling.CeilingTraining=9 program.TrainKernelSight=9 predictor.TrainPredictor=9
  cli.OfSimulate/EveryOption=8 cli.OfValidate/EveryOption=8 app.CrossGpuTable=8 app.SampleLimits=7
  Plans.OfAnAuditHold=7 program.TuneWaveTune=7 Python.WaveHook=7 robustness.WrongTypes=7 ceiling.CeilingModel=6 Surfaces.Web=6
  predictor.ExtremeOperators=6 Program.OldFaultsStayMended=6 program.PlanProcesses=5 tuner.MeasuredAnchors=5
  tuner.RuntimeTable=5 baselines.PipeWeave=5)

# Sets `variable` to the seconds of a test, 0 where it is none of the long ones.
function(warploom_test_cost variable name)
  set(${variable} 0 PARENT_SCOPE)
  foreach(entry IN LISTS test_costs)
    string(REGEX MATCH "^(.*)=([0-9]+)$" matched "${entry}")
    if(CMAKE_MATCH_1 STREQUAL name)
      set(${variable} ${CMAKE_MATCH_2} PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()
