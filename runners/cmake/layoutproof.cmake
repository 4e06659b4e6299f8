# Checks the structs of a target against its shaders, each time after it is linked:
#
#     include(layoutproof.cmake)
#     layoutproof_check(engine shaders/scene.hlsl shaders/post.hlsl ARGS --target vulkan)
#
# Without shaders, `layoutproof.toml` in the source folder says what to compare. The target needs debug information
# (`-g`, `/Zi`). A difference, or a check that cannot run, fails the build; with `WARN_ONLY` it is only printed.
function(layoutproof_check target)
    cmake_parse_arguments(PARSE_ARGV 1 check "WARN_ONLY" "WORKING_DIRECTORY" "ARGS")
    find_program(LAYOUTPROOF layoutproof)
    if(NOT LAYOUTPROOF)
        message(FATAL_ERROR "layoutproof is not on the PATH: install it, or set LAYOUTPROOF to the program")
    endif()
    if(NOT check_WORKING_DIRECTORY)
        set(check_WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
    endif()

    set(command "${LAYOUTPROOF}" check ${check_UNPARSED_ARGUMENTS})
    if(check_UNPARSED_ARGUMENTS)
        list(APPEND command "$<TARGET_FILE:${target}>")
    endif()
    list(APPEND command ${check_ARGS})
    if(check_WARN_ONLY)
        # `||` needs a shell, so that a difference does not end the build.
        list(APPEND command || "${CMAKE_COMMAND}" -E true)
    endif()
    add_custom_command(TARGET ${target} POST_BUILD COMMAND ${command}
        WORKING_DIRECTORY "${check_WORKING_DIRECTORY}" COMMENT "Checking the layouts of ${target}" VERBATIM)
endfunction()
