"""Least squares of ln by a search, and percentiles: what the fits of rules share."""

LEAST_STEP = 1e-6  # of the search, relative


def search(cost, start, free=None):
    """Values of least cost: along each free one, with ever smaller steps."""
    values, step = list(start), 0.1
    free = range(len(values)) if free is None else free
    best = cost(values)
    while step > LEAST_STEP:
        better = False
        for i in free:
            for factor in (1 + step, 1 / (1 + step)):
                values[i] *= factor
                if (now := cost(values)) < best:
                    best, better = now, True
                else:
                    values[i] /= factor
        step = step if better else step / 2
    return tuple(values)


def percentile(values, share):
    """By linear interpolation between order statistics."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = int(place)
    return ordered[low] + (place - low) * (ordered[min(low + 1, len(ordered) - 1)] - ordered[low])
